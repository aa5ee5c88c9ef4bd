// HTTPHits: fresh responses out of the HTTP cache, in process, their bodies read.

import CCounters
import HTTPTypes
import LarderHTTP
import LarderStore
import LarderTransport

/// Fresh responses out of the HTTP cache, in process, their bodies read.
enum HTTPHits {
    private static let pages = 200
    private static let size = 4_096
    private static let languages = (0..<100).map { "l\($0)" }
    /// The number of variants of one address that a cache keeps: the last ones.
    private static let keptVariants = 32

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let hits = isQuick ? 5_000 : 50_000
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        let server = PageServer(size: size)
        let persistent = HTTPCache(
            transport: server, persistent: StoreResponseCache(store: store), services: .benchmark())
        let memory = HTTPCache(
            transport: server, persistent: nil, memory: MemoryResponseCache(), services: .benchmark())
        let files = FileEntries(folder: try directory.folder("files"))
        let requests = try (0..<pages).map { try request("page/\($0)") }
        for cache in [persistent, memory] { try await fill(cache, requests) }
        try await fill(files, requests, server)
        let store4 = contender("store", persistent, requests, hits)
        let memory4 = contender("memory", memory, requests, hits)
        let peer = fileContender(files, requests, hits)
        let measurements = [
            try await compare("hit of 4 KB, memory", [memory4, peer]),
            try await compare("hit of 4 KB, store", [store4, peer]),
            try await variants(persistent, hits / 10),
            try await Measurement.compare(
                "http", "allocations of a hit", unit: "per hit",
                [
                    contender("store", persistent, requests, hits, measure: countedAllocationsAsync),
                    contender("memory", memory, requests, hits, measure: countedAllocationsAsync),
                ]),
        ]
        await persistent.close()
        await memory.close()
        try store.close()
        return measurements
    }

    private static func compare(_ name: String, _ contenders: [Contender]) async throws -> Measurement {
        try await .compare("http", name, unit: "µs", rounds: 9, contenders)
    }

    /// Compares hits on the variants that are kept of an address with 100 with those of an address with one.
    private static func variants(_ cache: HTTPCache, _ hits: Int) async throws -> Measurement {
        let many = try languages.map { try request("varied", language: $0) }
        let one = try request("single", language: languages[0])
        for request in many { _ = try await cache.fetch(request).value.body.bytes() }
        let kept = Array(many.suffix(keptVariants))
        try await check(cache, kept)
        try await fill(cache, [one])
        return try await compare(
            "hit among 100 variants",
            [contender("Larder", cache, kept, hits), contender("one variant", cache, [one], hits)])
    }

    private static func request(_ path: String, language: String? = nil) throws -> FetchRequest {
        var fields: HTTPFields = [.accept: "application/json"]
        fields[.acceptLanguage] = language
        guard let request = FetchRequest("https://bench.test/api/\(path)?size=4", fields: fields) else {
            throw PeerError.code(0)
        }
        return request
    }

    private static func fill(_ cache: HTTPCache, _ requests: [FetchRequest]) async throws {
        for request in requests {
            let answer = try await cache.fetch(request)
            try expect(answer.origin, .network, "the origin of a first answer")
            try expect(await answer.value.body.bytes(), PageServer.body(request.request, size), "its body")
        }
        try await check(cache, requests)
    }

    /// Checks that all requests are hits.
    private static func check(_ cache: HTTPCache, _ requests: [FetchRequest]) async throws {
        for request in requests {
            let answer = try await cache.fetch(request)
            try expect(answer.origin, .cache, "the origin of a second answer")
            try expect(await answer.value.body.bytes(), PageServer.body(request.request, size), "its body")
        }
    }

    private static func fill(_ files: FileEntries, _ requests: [FetchRequest], _ server: PageServer) async throws {
        for request in requests {
            let response = try await server.send(request.request)
            let body = try await response.body.collect(upTo: size)
            try files.store(response.head, body, for: address(request), now: TranslationRows.updatedAt)
            let stored = try files.response(for: address(request), now: TranslationRows.updatedAt)
            try expect(stored?.body, body, "a body out of a file")
        }
    }

    private static func address(_ request: FetchRequest) -> String {
        "https://bench.test" + (request.request.path ?? "")
    }

    /// Requests in turn that are all hits.
    private static func contender(
        _ name: String, _ cache: HTTPCache, _ requests: [FetchRequest], _ hits: Int,
        measure: @escaping (Int, () async throws -> Void) async throws -> Double = microseconds
    ) -> Contender {
        Contender(name: name) {
            var byteCount = 0
            let value = try await measure(hits) {
                for hit in 0..<hits {
                    let answer = try await cache.fetch(requests[hit % requests.count])
                    byteCount += try await answer.value.body.bytes().count
                }
            }
            try expect(byteCount, hits * size, "bytes of the hits")
            return value
        }
    }

    private static func fileContender(_ files: FileEntries, _ requests: [FetchRequest], _ hits: Int) -> Contender {
        let addresses = requests.map(address)
        return Contender(name: "a file each") {
            var byteCount = 0
            let time = try timed(hits) {
                for hit in 0..<hits {
                    let address = addresses[hit % addresses.count]
                    byteCount += try files.response(for: address, now: TranslationRows.updatedAt)?.body.count ?? 0
                }
            }
            try expect(byteCount, hits * size, "bytes of the files")
            return time / 1e3
        }
    }

    private static func microseconds(_ hits: Int, _ body: () async throws -> Void) async throws -> Double {
        try await timedAsync(hits, body) / 1e3
    }

    private static func countedAllocationsAsync(_ hits: Int, _ body: () async throws -> Void) async throws -> Double {
        allocation_count_begin()
        // Ends a count that an error has left open.
        defer { _ = allocation_count_end() }
        try await body()
        return Double(allocation_count_end()) / Double(hits)
    }
}

/// A transport whose answers are fresh for a day, and vary by language where a request has one.
private struct PageServer: Transport {
    let size: Int

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        var fields: HTTPFields = [
            .date: "Thu, 01 Jan 2026 00:00:00 GMT", .contentType: "application/json; charset=utf-8",
            .contentLength: String(size), .cacheControl: "public, max-age=86400", .eTag: "\"33a64df551425fcc\"",
            .lastModified: "Mon, 29 Dec 2025 10:00:00 GMT", .server: "bench",
        ]
        if request.headerFields[.acceptLanguage] != nil { fields[.vary] = "Accept-Language" }
        return TransportResponse(status: .ok, headers: fields, body: Self.body(request, size))
    }

    /// A body that differs between paths and languages.
    static func body(_ request: HTTPRequest, _ size: Int) -> [UInt8] {
        let start = Array(((request.path ?? "") + (request.headerFields[.acceptLanguage] ?? "")).utf8)
        return start + [UInt8](repeating: UInt8(ascii: "x"), count: size - start.count)
    }
}
