// Proves what the article on GRDB says: moved rows are read at once, and moved writes are sent once and in their order.

import HTTPTypes
import Larder
import LarderFormat
import LarderOutbox
import LarderServer
import LarderStore
import LarderTesting
import Testing

private struct MigratingFromGRDBCode {
    // block begins
    struct Verse: CachedRow {  // was a record of the table `verse`
        static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
        let id: Int, verse_key: String, text: String
    }

    struct Note: LocalRow, Equatable {  // was a record of the table `note`, and the payload of the table `outbox`
        static let schema = RowSchema("note", in: .resource("notes/1"))
        var id: String, text: String
    }
    // block ends

    struct OldVerse: Sendable {
        var id: Int, json: [UInt8], updatedAt: Int64
    }

    struct OldWrite: Sendable {
        var id: Int64, method: HTTPRequest.Method, path: String, body: [UInt8], noteID: String
    }

    // block begins
    func moveVerses(_ verses: [OldVerse], to cache: ContentCache) async throws {
        try await cache.store.replace("translations/10", appliedSequence: 0) { rows in
            for verse in verses {  // by ascending id: rows in key order load fastest
                try await rows.append(
                    verse.json, type: "translation", key: "\(verse.id)", updatedAt: verse.updatedAt)
            }
        }
    }
    // block ends

    // block begins
    func moveWrites(_ writes: [OldWrite], to cache: ContentCache) async throws {
        guard let outbox = cache.outbox else { return }
        let moved = try writes.map { write in
            let row = RowKey(resource: "notes/1", type: "note", key: write.noteID)
            return try outbox.prepare(
                OutboxWrite(
                    "note.moved", write.method, write.path, body: .bytes(write.body),
                    entity: "notes/1/note/\(write.noteID)",  // as `put`: one order for all writes of the row
                    effects: [RowEffect(.replacement(write.body), at: row)],
                    deduplicationKey: "old-outbox/\(write.id)"))
        }
        try await cache.store.write { transaction in
            for write in moved { try transaction.enqueue(write) }  // all or none
        }
    }
    // block ends
}

@Suite(.timeLimit(.minutes(2))) struct `The article on moving from GRDB` {
    private typealias Verse = MigratingFromGRDBCode.Verse
    private typealias Note = MigratingFromGRDBCode.Note
    private let code = MigratingFromGRDBCode()
    private let clock = VirtualClock()
    private let network = ScriptedConnectivity(.offline)
    private let origin: Origin
    private let transport: ScriptedTransport

    init() {
        origin = Origin(secret: TokenSecret(1, 2), now: { [clock] in clock.wallMilliseconds })
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
    }

    private func open() async throws -> ContentCache {
        var options = CacheOptions()
        options.hasAccounts = false
        return try await ContentCache.open(
            .temporary(), content: "https://api.example.org/content", writes: "https://api.example.org",
            rows: [Verse.self, Note.self], services: .scripted(transport, clock: clock, connectivity: network),
            options: options)
    }

    private static func json(_ id: Int, _ text: String) -> String {
        #"{"id":\#(id),"verse_key":"26:\#(id - 850)","text":"\#(text)"}"#
    }

    @Test func `shows rows that are read at once, and replaced as a whole by the first sync`() async throws {
        _ = try origin.createResource(
            .init("translations", 10),
            rows: (1000...1002).map { Origin.Row(type: "translation", key: "\($0)", Self.json($0, "new")) })
        let old = [999, 1000].map { id in
            MigratingFromGRDBCode.OldVerse(id: id, json: Array(Self.json(id, "old").utf8), updatedAt: 0)
        }
        let cache = try await open()
        try await code.moveVerses(old, to: cache)
        #expect(try cache.rows(Verse.self, in: "translations/10").map(\.text) == ["old", "old"])
        #expect(try cache.rows(Verse.self, where: "verse_key = \("26:149")").map(\.id) == [999])
        network.set(.online)
        let running = Task { try await cache.run() }
        var isReady = false
        for await progress in cache.keep("translations:10") { isReady = progress.isReady }
        #expect(isReady)
        let found = try cache.rows(Verse.self, in: "translations/10")
        #expect(found.map(\.id) == [1000, 1001, 1002] && found.allSatisfy { $0.text == "new" })
        await #expect(throws: StoreError.self) { try await code.moveVerses(old, to: cache) }
        #expect(try cache.rows(Verse.self, in: "translations/10").count == 3)
        running.cancel()
        _ = await running.result
        try await cache.close()
    }

    @Test func `shows writes that are moved once, shown at once, and sent in their order`() async throws {
        transport.on(.post, "/notes").answer(503).then(201)
        transport.on(.put, "/notes/*").answer(200)
        func body(_ text: String) -> [UInt8] { Array(#"{"id":"9","text":"\#(text)"}"#.utf8) }
        let old = [
            MigratingFromGRDBCode.OldWrite(id: 1, method: .post, path: "/notes", body: body("milk"), noteID: "9"),
            MigratingFromGRDBCode.OldWrite(id: 2, method: .put, path: "/notes/9", body: body("bread"), noteID: "9"),
        ]
        let cache = try await open()
        try await code.moveWrites(old, to: cache)
        try await code.moveWrites(old, to: cache)  // as after a crash before the old table was deleted
        #expect(cache.outbox?.status.unsent == 2)
        #expect(try cache.rows(Note.self) == [Note(id: "9", text: "bread")])
        let tea = Note(id: "9", text: "tea")
        try await cache.put(tea, to: "/notes/9")
        let running = Task { try await cache.run() }
        network.set(.online)
        try await clock.wait(for: "all writes to be sent") { !cache.isPending(tea) }
        #expect(transport.lines == ["POST /notes", "POST /notes", "PUT /notes/9", "PUT /notes/9"])
        let sent = transport.recorded.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) }
        #expect(sent.map { $0.contains("milk") } == [true, true, false, false])
        #expect(sent.last == #"{"id":"9","text":"tea"}"#)
        #expect(try cache.rows(Note.self) == [tea])
        running.cancel()
        _ = await running.result
        try await cache.close()
    }
}
