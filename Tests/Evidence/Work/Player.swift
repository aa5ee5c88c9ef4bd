// Player: plays operations on a store below a directory, and notes what the store has acknowledged.

import LarderFormat
import LarderStore

/// Plays operations on the store `store` below a directory.
///
/// After each operation a line `ack STORE TABLE DIGEST` goes to the file `acks` of the directory: from then on the
/// table, or `all`, must have this content or a later one.
final class Player {
    private let root: String
    private let notes: Bool
    private let host: HostServices
    private var random: SplitMix64
    /// Made for the first sync.
    private var madeServer: Server?
    private var store: Store
    private var number = 0
    private var copies = 0

    var path: String { root + "/store" }

    /// - Parameter notes: whether lines are written to `acks`.
    init(root: String, seed: UInt64, notes: Bool = true) throws {
        self.root = root
        self.notes = notes
        host = .repeating(seed)
        random = SplitMix64(seed: seed)
        store = try Store.open(at: root + "/store", host: host)
        try acknowledge(nil)
    }

    /// Plays random operations.
    func play(_ count: Int) throws {
        for _ in 0..<count { try play(Operation.random(&random)) }
    }

    /// Plays one operation and acknowledges it.
    func play(_ operation: Operation) throws {
        number += 1
        if notes { Files.append("begin \(operation)\n", to: root + "/acks") }
        switch operation {
        case .publish:
            try store.publish(to: root + "/published")
            try acknowledgeAll("published")
        case .copy:
            copies += 1
            try store.copy(to: root + "/copy\(copies)")
            try acknowledgeAll("copy\(copies)")
        case .compact:
            try store.close()
            _ = try Store.compact(at: path, host: host)
            store = try Store.open(at: path, host: host)
        case .reopen:
            try store.close()
            store = try Store.open(at: path, host: host)
        case .suspend: try store.suspend()
        // Its commits are not promised to outlive a power cut.
        case .reclaim: try perform(operation)
        default:
            try perform(operation)
            try acknowledge(operation.table)
        }
    }

    func close() throws { try store.close() }

    func digests() throws -> TableDigests { try store.read { view in try TableDigests(view) } }

    /// Syncs with a server that has not changed since the player was made.
    func syncUnchanged() throws {
        let (server, store) = (try server(), store)
        try blocking { try await server.sync(store) }
        try acknowledge(.filters)
    }

    /// What is seen once everything is in step with the server: the rows of each resource, and what only this store has.
    func finalContent() throws -> [UInt64] {
        // A sync that fetches what is damaged again may leave effects of accepted writes to the next one.
        for _ in 0..<2 { try syncUnchanged() }
        return try store.read { view in
            let digests = try TableDigests(view)
            var content: [TableName: UInt64] = [:]
            for table in [TableName.outbox, .responses, .buffers] { content[table] = digests[table] }
            var hash: UInt64 = 0
            for resource in Self.resources {
                hash = hash &* 31 &+ 7
                for row in try view.rows(in: .all(of: resource)) {
                    hash = Array("\(row.key.type) \(row.key.key)".utf8).rawSpan.xxh64(seed: hash)
                    hash = row.payload.rawSpan.xxh64(seed: hash)
                }
            }
            content[.rows] = hash
            return TableName.allCases.map { content[$0] ?? 0 }
        }
    }

    /// The resources that operations change.
    static let resources = [
        ResourceKey("translations", 1), ResourceKey("translations", 2), ResourceKey("tafsirs", 1),
        ResourceKey("shipped", 0), ResourceKey("shipped", 1), ResourceKey("shipped", 2), ResourceKey("local", 1),
    ]

    private func server() throws -> Server {
        let server = try madeServer ?? Server()
        madeServer = server
        return server
    }

    private func acknowledge(_ table: TableName?) throws {
        if !notes { return }
        let digests = try store.read { view in try TableDigests(view) }
        let name = table?.rawValue ?? "all"
        Files.append("ack store \(name) \(digests.value(named: Substring(name)) ?? 0)\n", to: root + "/acks")
    }

    /// Acknowledges a copy of the store, which nothing has changed meanwhile.
    private func acknowledgeAll(_ name: String) throws {
        let digests = try StoreState.digests(at: root + "/" + name)
        Files.append("ack \(name) all \(digests.whole)\n", to: root + "/acks")
    }

    private func perform(_ operation: Operation) throws {
        switch operation {
        case .sync:
            var server = try server()
            for _ in 0..<Int.random(in: 0...6, using: &random) { try server.change(&random) }
            madeServer = server
            let (changed, store) = (server, store)
            try blocking { try await changed.sync(store) }
        case .enqueue: try enqueue()
        case .complete: try complete()
        case .put:
            // Reclaiming removes rows too, in commits that a power cut may undo.
            try blocking { [store] in try await store.reclaim() }
            let key = RowKey(resource: ResourceKey("local", 1), type: "note", key: String(number % 20))
            try store.writeBlocking { [number] in try $0.put(Array("{\"n\":\(number)}".utf8), at: key, updatedAt: 0) }
        case .replace: try replace()
        case .response: try putResponse()
        case .collection: try putCollection()
        case .point:
            try store.writeBlocking { [number] transaction in
                _ = try transaction.appendPoint(Array("\(number)".utf8), to: BufferName("points"), at: 0, limit: 5)
            }
        case .reclaim: try blocking { [store] in try await store.reclaim() }
        case .clear: try blocking { [store] in try await store.clear(discardingUnsent: true) }
        case .publish, .copy, .compact, .reopen, .suspend: break
        }
    }
}

extension Player {
    private func enqueue() throws {
        let draft = OutboxDraft(
            id: host.makeID(), lane: "lane \(number % 3)", createdAt: Int64(number), mutationType: "note",
            method: "POST", endpoint: "notes/\(number)", payload: Array("{\"note\":\(number)}".utf8))
        let row = RowKey(resource: ResourceKey("translations", 1), type: "translation", key: String(number % 40))
        let effect = RowEffect(.replacement(Array("{\"mine\":\(number)}".utf8)), at: row)
        try store.writeBlocking { transaction in _ = try transaction.enqueue(draft, effects: [effect]) }
    }

    /// Has the first entry accepted or refused.
    private func complete() throws {
        guard let entry = try store.read({ view in try view.outboxEntries(limit: 1) }).first else { return }
        let isAccepted = number.isMultiple(of: 3) == false
        try store.writeBlocking { transaction in
            if isAccepted {
                try transaction.completeEntry(entry.id, at: 1)
            } else {
                try transaction.removeEntry(entry.id, outcome: "rejected", at: 1)
            }
        }
    }

    private func replace() throws {
        let (store, number, count) = (store, number, Int.random(in: 1...200, using: &random))
        try blocking {
            try await store.replace(ResourceKey("shipped", Int64(number % 3)), appliedSequence: 0) { writer in
                for key in 0..<count {
                    try await writer.append(
                        Array("{\"key\":\(key),\"number\":\(number)}".utf8), type: "word", key: String(key),
                        updatedAt: Int64(number))
                }
            }
        }
    }

    private func putResponse() throws {
        var record = ResponseRecord()
        record.key = "http://127.0.0.1/\(number % 4)"
        (record.method, record.url, record.status) = ("GET", record.key, 200)
        let blob = try store.makeBlob()
        let count = Int.random(in: 1...40_000, using: &random)
        let bytes = [UInt8](repeating: UInt8(97 + number % 26), count: count)
        blob.append(bytes.rawSpan)
        try store.writeBlocking { transaction in
            try transaction.putResponse(record, body: blob.finish(in: &transaction))
        }
    }

    private func putCollection() throws {
        let home = ResourceKey("translations", 2)
        let rows = (1...Int.random(in: 1...30, using: &random)).map {
            RowKey(resource: home, type: "translation", key: String($0))
        }
        try store.writeBlocking { [number] transaction in
            try transaction.putCollection(
                CollectionName(class: "translation", query: "page \(number % 3)"), rows: rows, home: home,
                fetchedAt: Int64(number))
        }
    }
}
