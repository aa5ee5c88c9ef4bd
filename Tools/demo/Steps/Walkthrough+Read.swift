#if Server
import Foundation
import LarderFormat
import LarderStore
import LarderSync
import LarderServer
import Synchronization

extension Walkthrough {
    /// Looks up a word, then reads rows at random and prints the time of one read.
    func readWord(_ store: Store) throws {
        screen.heading("Read")
        var found: RowKey?
        let keys = try store.read { view in
            var keys: [RowKey] = []
            try view.forEachRow(in: .type("synset", of: Self.nouns)) { entry in
                let key = RowKey(resource: Self.nouns, type: "synset", key: try entry.key().key)
                if found == nil, entry.row.payload.contains("\"larder\"") { found = key }
                keys.append(key)
            }
            return keys
        }
        guard let word = found else { throw DemoError("WordNet has no larder") }
        try store.read { view in
            let start = ContinuousClock.now
            let payload = try view.payload(at: word) ?? []
            let time = start.duration(to: .now)
            screen.line(
                "larder, read in \(Figures.time(time)): \(String(decoding: payload.prefix(160), as: UTF8.self))…")
        }
        var generator = SystemRandomNumberGenerator()
        let sample = (0..<100_000).compactMap { _ in keys.randomElement(using: &generator) }
        var bytes = 0
        let start = ContinuousClock.now
        try store.read { view in
            for key in sample {
                if let row = try view.row(at: key) { bytes += row.payload.byteCount }
            }
        }
        let each = start.duration(to: .now) / sample.count
        screen.line("\(Figures.count(sample.count)) random rows, checksums verified: \(Figures.time(each)) each")
        screen.addRow("one random read, checksum verified", Figures.time(each))
    }

    /// Replaces all nouns on the server while a task keeps reading them, and counts the editions that it sees.
    func replaceWhileReading(_ store: Store, _ baseURL: String) async throws {
        screen.heading("A whole resource replaced while it is being read")
        try publishEdition(1)
        _ = try await makeSync(store, baseURL).sync(ResourceFilter(Self.filter))
        try publishEdition(2)
        let watch = EditionCounter()
        let nouns = Self.nouns
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !watch.isDone {
                    try watch.countView(store, nouns)
                    await Task.yield()
                }
            }
            group.addTask { [self] in
                defer { watch.end() }
                _ = try await makeSync(store, baseURL).sync(ResourceFilter(Self.filter))
            }
            try await group.waitForAll()
        }
        try watch.countView(store, Self.nouns)
        let counts = watch.counts
        screen.line(
            "\(Figures.count(counts.views)) views of \(EditionCounter.rowsPerView) rows each: \(counts.old) saw the old edition, "
                + "\(counts.new) the new one, \(counts.mixed) a mix")
        guard counts.mixed == 0, counts.new > 0 else { throw DemoError("a reader saw a mix, or never the new edition") }
        screen.addRow("views during the replacement", Figures.count(counts.views))
        screen.addRow("views that saw a mix", Figures.count(counts.mixed))
        if let time = swapTime(of: Self.nouns) {
            let rows = try store.read { view in try view.resource(Self.nouns)?.rowCount ?? 0 }
            screen.addRow("swap of \(Figures.count(rows)) rows", Figures.time(time))
        }
    }

    /// Reads without a server, and shows that a sync fails with an understandable error.
    func readOffline(_ store: Store) async throws {
        screen.heading("The server is stopped")
        let rows = try store.read { view in try view.forEachRow(in: .all(of: Self.nouns)) { _ in } }
        screen.line("\(Figures.count(rows)) nouns read offline, every checksum verified")
        do {
            _ = try await makeSync(store, "http://127.0.0.1:9/content").sync(ResourceFilter(Self.filter))
            throw DemoError("a sync without a server succeeded")
        } catch let error as SyncError {
            screen.line("a sync now fails with: \(error)")
        }
        screen.addRow("rows read offline", Figures.count(rows))
    }
}

/// Reads rows of a resource in one view after another, and counts the editions that they show.
final class EditionCounter: Sendable {
    static let rowsPerView = 400

    struct Counts {
        var views = 0
        var old = 0
        var new = 0
        var mixed = 0
    }

    private let state = Mutex(Counts())

    private let hasEnded = Atomic(false)

    var counts: Counts { state.withLock(\.self) }

    /// Whether the reading has ended.
    var isDone: Bool { hasEnded.load(ordering: .relaxed) }

    func end() {
        hasEnded.store(true, ordering: .relaxed)
    }

    func countView(_ store: Store, _ resource: ResourceKey) throws {
        let (first, second) = try store.read { view in
            var editions = (first: 0, second: 0)
            // Read from both ends, so that a half-replaced resource would be noticed.
            for reversed in [false, true] {
                try view.forEachRow(in: .all(of: resource), reversed: reversed, limit: Self.rowsPerView / 2) { entry in
                    if entry.row.payload.contains("\"edition\":2") { editions.second += 1 } else { editions.first += 1 }
                }
            }
            return editions
        }
        state.withLock { counts in
            counts.views += 1
            if first > 0 && second > 0 {
                counts.mixed += 1
            } else if second > 0 {
                counts.new += 1
            } else {
                counts.old += 1
            }
        }
    }
}

extension RawSpan {
    /// Returns whether the bytes contain the UTF-8 of `text`.
    func contains(_ text: String) -> Bool {
        [UInt8](copying: self).firstRange(of: text.utf8) != nil
    }
}
#endif
