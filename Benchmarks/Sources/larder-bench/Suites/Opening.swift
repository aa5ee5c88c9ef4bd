// Opening: a store with much in it, opened until a row of it is read; its file is warm.

import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore

/// Opens a store with much in it, until a row of it is read; its file is warm.
enum Opening {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let directory = try ScratchDirectory()
        let rows = TranslationRows(count: isQuick ? 50_000 : 5_000_000)
        let responses = isQuick ? 1_000 : 100_000
        let path = directory.path("store")
        let store = try openStore(at: path)
        try await store.load(rows, into: TranslationRows.resource(1))
        try await fill(store, responses: responses)
        try store.close()
        let small = try openStore(at: directory.path("small"))
        try await small.load(TranslationRows(count: 1), into: TranslationRows.resource(1))
        try small.close()
        return [
            try await .compare(
                "open", "responses and rows", size: "\(responses) responses, \(rows.count) rows", unit: "ms", rounds: 9,
                [
                    Contender(name: "Larder") { try open(path, rows, lastRow: rows.count) },
                    Contender(name: "one row") { try open(directory.path("small"), rows, lastRow: 1) },
                    Contender(name: "LMDB") { try openRaw(path, atLeast: rows.count) },
                ])
        ]
    }

    private static func open(_ path: String, _ rows: TranslationRows, lastRow: Int) throws -> Double {
        var opened: Store?
        var payload: [UInt8]?
        let key = RowKey(resource: TranslationRows.resource(1), type: TranslationRows.type, key: String(lastRow))
        let duration = try timed(1) {
            let store = try openStore(at: path)
            opened = store
            payload = try store.read { view in try view.payload(at: key) }
        }
        try opened?.close()
        try expect(payload, rows.payload(lastRow - 1), "the last row")
        return duration / 1e6
    }

    private static func openRaw(_ path: String, atLeast rows: Int) throws -> Double {
        var opened: RawLMDB?
        let duration = try timed(1) { opened = try RawLMDB(path: path) }
        try expect((opened?.count() ?? 0) > rows, true, "the rows of LMDB's table")
        return duration / 1e6
    }

    private static func fill(_ store: Store, responses: Int) async throws {
        let server = AcceptingServer()
        let cache = HTTPCache(
            transport: server, persistent: StoreResponseCache(store: store), services: .benchmark())
        let writers = 32
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in stride(from: writer, to: responses, by: writers) {
                        guard let request = FetchRequest("http://bench.test/page/\(number)") else { continue }
                        _ = try await cache.fetch(request).value.body.bytes()
                    }
                }
            }
            try await group.waitForAll()
        }
        try expect(server.requestCount, responses, "responses")
    }
}
