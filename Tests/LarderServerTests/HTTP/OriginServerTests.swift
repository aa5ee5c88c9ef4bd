// Proves that an origin server listens locally, serves many and slow clients, and stops reliably.

#if Server
import Foundation
import LarderServer
import Testing

@Suite struct `An origin server` {
    private struct Refusal: Error {}

    private let origin = Origin.sample()

    @Test func `listens on this machine only, on a port of its own, and stops with its body`() async throws {
        let base = try await OriginServer.run(origin) { one in
            try await OriginServer.run(origin) { other in
                #expect(one != other)
                #expect(one.hasPrefix("http://127.0.0.1:") && one.hasSuffix("/content"))
            }
            return one
        }
        await #expect(throws: (any Error).self) { try await send("GET", base + "/admin/status") }
    }

    @Test func `passes on what its body throws`() async throws {
        await #expect(throws: Refusal.self) { try await OriginServer.run(origin) { _ in throw Refusal() } }
    }

    @Test func `says when its port is in use`() async throws {
        try await OriginServer.run(origin) { base in
            let port = try #require(URL(string: base)?.port)
            await #expect(throws: (any Error).self) { try await OriginServer.run(origin, port: port) { _ in } }
        }
    }

    @Test func `answers many clients at once`() async throws {
        try origin.createResource(.translation19, rows: (1...500).map { .translation($0) })
        try await OriginServer.run(origin) { base in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        try await send("GET", base + "/api/v4/resources/snapshots/translations/19").body.count
                    }
                }
                var sizes: Set<Int> = []
                for try await size in group { sizes.insert(size) }
                #expect(sizes.count == 1)
            }
        }
    }

    #if canImport(Glibc)
    private func slowReader(of base: String) throws -> RawConnection {
        let port = try #require(URL(string: base)?.port)
        let head = "GET /content/api/v4/resources/snapshots/translations/19 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        return try #require(RawConnection(port: UInt16(port), sending: head))
    }

    @Test func `gives a slow reader the rows of one point in time while others read on`() async throws {
        try origin.createResource(.translation19, rows: (1...200_000).map { .translation($0, "old") })
        try await OriginServer.run(origin) { base in
            let reader = try slowReader(of: base)
            var bytes = await reader.read(1000)
            try origin.replaceRows(of: .translation19, with: [.translation(1, "new")])
            let other = try await send("GET", base + "/api/v4/resources/snapshots/translations/19")
            #expect(String(decoding: other.body, as: UTF8.self).contains("new"))
            // The end of the chunked body (RFC 9112 §7.1).
            while !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8) {
                let more = await reader.read(1 << 16)
                try #require(!more.isEmpty)
                bytes += more
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains(#"{"id":200000,"text":"old"}]}"#))
            #expect(!text.contains("new"))
        }
    }

    @Test func `stops although a reader has stopped reading`() async throws {
        try origin.createResource(.translation19, rows: (1...200_000).map { .translation($0) })
        let reader = try await OriginServer.run(origin) { base in
            let reader = try slowReader(of: base)
            let bytes = await reader.read(1000)
            #expect(!bytes.isEmpty)
            return reader
        }
        // The server is gone; what was under way was cut off before its end.
        var rest: [UInt8] = []
        for _ in 0..<10_000 {
            let more = await reader.read(1 << 16)
            if more.isEmpty { break }
            rest = more
        }
        #expect(!rest.suffix(5).elementsEqual("0\r\n\r\n".utf8))
    }
    #endif
}
#endif
