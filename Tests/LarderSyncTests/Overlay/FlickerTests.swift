// Proves that a local write never disappears and returns while it travels, over random runs, lags and crashes.

import Foundation
import Larder
import LarderFormat
import LarderStore
import LarderTesting
import Testing

/// Writes of this device and of others, runs of two filters, copies that lag, in any order that a seed gives.
@Suite struct `A local write` {
    /// Further seeds, or one that failed, by `LARDER_SEEDS`, such as `17` or `0,500`.
    static var seeds: [UInt64] {
        let given = ProcessInfo.processInfo.environment["LARDER_SEEDS"]?.split(separator: ",").compactMap { UInt64($0) }
        switch given {
        case let bounds? where bounds.count == 2: return Array(bounds[0]..<bounds[1])
        case let list? where !list.isEmpty: return list
        default: return Array(1...40) + [UInt64.random(in: 41 ... .max)]
        }
    }

    @Test(arguments: seeds)
    func `never disappears and returns while it travels`(seed: UInt64) throws {
        var world = try WriterSimulation(seed: seed)
        defer { world.close() }
        for round in 0..<220 {
            let step = try world.step()
            let missing = try world.missing()
            #expect(missing == [], "seed \(seed), round \(round): \(step)")
            if !missing.isEmpty { return }
            if round % 50 == 0 { #expect(try world.findings() == [], "seed \(seed), round \(round)") }
        }
        try world.finishAll()
        #expect(try world.missing() == [], "seed \(seed)")
        #expect(try world.differences() == [], "seed \(seed)")
        #expect(try world.findings() == [], "seed \(seed)")
    }
}

/// A device, a server and what lies between.
private struct WriterSimulation {
    private struct Write {
        let id: UUIDBytes
        let key: RowKey
        let marker: String
        /// What the row becomes at the server; nil to add the marker.
        let members: Set<String>?
        /// The server's sequence of it, once it has it.
        var sequence: Int64?
        let isReported: Bool
    }

    private static let filters = ["translations:*", "translations:1"]
    private let path: String
    private let store: Store
    private var random: SeededGenerator
    private var server = WriterServer()
    private var runs: [String: WriterRun] = [:]
    /// Not answered yet, the oldest first; one is sent at a time.
    private var queue: [Write] = []
    /// The markers that have to be shown from now on.
    private var markers: [RowKey: Set<String>] = [:]
    private var next = 1

    init(seed: UInt64) throws {
        // In memory where there is such a place: this is about order, not about the medium.
        let folder = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        path = "\(folder)/larder-writes-\(UUID().uuidString)"
        store = try Store.open(at: path)
        random = SeededGenerator(seed: seed)
    }

    func close() {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    mutating func step() throws -> String {
        switch Int.random(in: 0..<32, using: &random) {
        case 0..<4: return change()
        case 4:
            server.invalidate(WriterServer.resources[Int.random(in: 0...1, using: &random)])
            return "invalidate"
        case 5..<10: return try write()
        case 10..<14: return send()
        case 14..<18: return try answer()
        case 18: return try refuse()
        case 19: return try crash()
        default: return try run()
        }
    }

    private mutating func change() -> String {
        guard let key = WriterServer.keys.randomElement(using: &random) else { return "nothing" }
        server.change(key) { members in
            members = members.filter { !$0.hasPrefix("n") }
            members.insert("n\(next)")
        }
        next += 1
        return "others change \(key.resource.id)/\(key.key)"
    }

    /// A write over a row of a resource that has been listed.
    private mutating func write() throws -> String {
        let known = Set(try store.read { view in try view.filters().flatMap(\.members) })
        let keys = WriterServer.keys.filter { known.contains($0.resource) }
        guard let key = keys.randomElement(using: &random) else { return "nothing" }
        let marker = "w\(next)"
        let shown = try shown(key)
        var members: Set<String>?
        if shown == nil || Int.random(in: 0..<4, using: &random) == 0 { members = (shown ?? Set()).union([marker]) }
        let change = members.map { OverlayChange.replacement(WriterServer.payload($0)) }
        let effect = RowEffect(change ?? .patch(WriterServer.payload([marker])), at: key)
        let draft = OutboxDraft(
            id: UUIDBytes(high: 1, low: UInt64(next)), lane: "lane", createdAt: 1, mutationType: "row", method: "PUT",
            endpoint: "/rows", payload: [])
        try store.writeBlocking { try $0.enqueue(draft, effects: [effect]) }
        queue.append(
            Write(
                id: draft.id, key: key, marker: marker, members: members,
                isReported: Bool.random(using: &random)))
        markers[key, default: []].insert(marker)
        next += 1
        return "write \(marker) over \(key.resource.id)/\(key.key)"
    }

    /// The server takes the oldest write; its answer is under way.
    private mutating func send() -> String {
        guard let write = queue.first, write.sequence == nil else { return "nothing" }
        server.change(write.key) { $0 = write.members ?? $0.union([write.marker]) }
        queue[0].sequence = server.sequence
        return "send \(write.marker)"
    }

    private mutating func answer() throws -> String {
        guard let write = queue.first, let sequence = write.sequence else { return "nothing" }
        queue.removeFirst()
        try store.writeBlocking {
            try $0.completeEntry(write.id, sequence: write.isReported ? sequence : nil, at: 1)
        }
        return "accept \(write.marker)"
    }

    private mutating func refuse() throws -> String {
        // Without the row that a write has made, patches of it would rightly make none.
        guard let write = queue.first, write.sequence == nil, write.members == nil else { return "nothing" }
        queue.removeFirst()
        try store.writeBlocking { try $0.rejectEntry(write.id, OutboxDelivery(), detail: nil, at: 1) }
        markers[write.key]?.remove(write.marker)
        return "refuse \(write.marker)"
    }

    private mutating func crash() throws -> String {
        for run in runs.values { try run.abandon(store) }
        runs = [:]
        return "crash"
    }

    private mutating func run() throws -> String {
        guard let text = Self.filters.randomElement(using: &random) else { return "nothing" }
        guard var run = runs.removeValue(forKey: text) else {
            runs[text] = try WriterRun(text, lag: 4, store)
            return "begin \(text)"
        }
        do {
            if Int.random(in: 0..<20, using: &random) == 0 { try run.reject(store) }
            if case .unfinished = try run.step(server, store, &random) { runs[text] = run }
        } catch SyncError.superseded {
            try run.abandon(store)
        }
        return "step of \(text)"
    }

    /// All that is under way comes to its end, and every filter is run twice more.
    mutating func finishAll() throws {
        while !queue.isEmpty { _ = (send(), try answer()) }
        _ = try crash()
        for text in Self.filters + Self.filters {
            var run = try WriterRun(text, lag: 0, store)
            while case .unfinished = try run.step(server, store, &random) {}
        }
    }

    private func shown(_ key: RowKey) throws -> Set<String>? {
        guard let payload = try store.read({ view in try view.payload(at: key) }) else { return nil }
        return Set(try JSONDecoder().decode([String: Int].self, from: Data(payload)).keys)
    }

    /// The writes that ought to be shown and are not.
    func missing() throws -> [String] {
        try markers.flatMap { key, markers in
            markers.subtracting(try shown(key) ?? []).map { "\($0) over \(key.resource.id)/\(key.key)" }
        }.sorted()
    }

    /// What keeps the device from showing what the server has.
    func differences() throws -> [String] {
        var found: [String] = []
        for key in WriterServer.keys where try shown(key) != server.rows[key] {
            found.append("\(key.resource.id)/\(key.key)")
        }
        let overlays = try store.read { view in
            try WriterServer.resources.flatMap { try view.overlays(of: $0) }
        }
        return found + overlays.map { "overlay \($0.sequence) over \($0.key.resource.id)/\($0.key.key)" }
    }

    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        return findings
    }
}
