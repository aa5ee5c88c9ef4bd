// Proves that oversized, endless and compressed bodies are refused in bounded memory.

#if AsyncHTTPClient
import Testing

/// Each run happens in a process of its own, whose peak of memory is measured.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `A hostile body` {
    private func expect(
        _ visit: MeasuredRun, _ adapter: MeasuredRun.Adapter, _ name: String, error: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(visit.outcome.contains(error), "\(name): \(visit.outcome)", sourceLocation: sourceLocation)
        #expect(visit.isStoreUnchanged, "\(name)", sourceLocation: sourceLocation)
        if let growth = visit.growth {
            print("\(adapter), \(name): \(growth >> 10) MiB at most")
            #expect(growth < adapter.most, "\(name): \(growth) KiB", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: HostileBody.pages, MeasuredRun.Adapter.allCases)
    func `of a page is refused in bounded memory`(body: HostileBody, adapter: MeasuredRun.Adapter) async throws {
        let server = try HostileSetup.server()
        server.on("token A") { body.send(on: $0) }
        expect(try await .make("sync", adapter, server), adapter, "page, \(body)", error: body.error)
    }

    @Test(arguments: HostileBody.copies)
    func `of a snapshot is refused in bounded memory`(body: HostileBody) async throws {
        let server = try HostileSetup.server()
        server.onSecondSnapshot { body.send(on: $0) }
        expect(
            try await .make("sync", .asyncHTTPClient, server), .asyncHTTPClient, "snapshot, \(body)", error: body.error
        )
    }

    /// The map's cap bounds what an endless copy can fill.
    @Test func `of a snapshot that never ends stops at the size of the store`() async throws {
        let server = try HostileSetup.server()
        let record = #"{"id":1,"text":"\#(String(repeating: "x", count: 1000))"},"#
        let records = (1...900).map { record.replacing(#""id":1,"#, with: #""id":\#($0),"#) }.joined()
        server.onSecondSnapshot { connection in
            connection.send(ok(["Connection: close"]) + HostileBody.head)
            for round in 1...220 {
                guard connection.send(records.replacing(#""id":"#, with: #""id":\#(round)0"#)) else { break }
            }
            return false
        }
        let visit = try await MeasuredRun.make("sync", .asyncHTTPClient, server, cap: 32 << 20)
        expect(visit, .asyncHTTPClient, "snapshot, endless records", error: "The store failed")
    }

    @Test(arguments: MeasuredRun.Adapter.allCases)
    func `that is compressed a hundredfold and more is refused in bounded memory`(
        adapter: MeasuredRun.Adapter
    ) async throws {
        for (name, fields) in [("gzip", ["Content-Encoding: gzip"]), ("gzip, gzip", ["Content-Encoding: gzip, gzip"])] {
            // URLSession decodes nothing on Linux.
            let isDecoded = adapter == .asyncHTTPClient && name == "gzip"
            let error = isDecoded ? "the body is longer than" : "the body is compressed"
            let server = try HostileSetup.server()
            let bomb = GzipBomb(begin: #"{"sync":{ "#, size: HostileSetup.flood)
            server.on("token A") { bomb.send(on: $0, fields: fields) }
            expect(try await .make("sync", adapter, server), adapter, "page, \(name)", error: error)
            let other = try HostileSetup.server()
            let second = GzipBomb(begin: HostileBody.head + #"{"id":1,"text":"x"#, size: HostileSetup.flood)
            other.onSecondSnapshot { second.send(on: $0, fields: fields) }
            expect(try await .make("sync", adapter, other), adapter, "snapshot, \(name)", error: error)
        }
    }
}
#endif
