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

    @Test func `says when its port is taken`() async throws {
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
}
#endif
