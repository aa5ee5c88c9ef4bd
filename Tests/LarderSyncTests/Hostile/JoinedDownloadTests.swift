// Proves that a download which two readers share, and which the cache then does not store, takes bounded memory.
#if AsyncHTTPClient && os(Linux)
import Foundation
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Two downloads of a gigabyte` {
    private static let size = 1 << 30

    /// Sends a body of a gigabyte to each request; the first head comes late, so that the second request can join.
    private static func server(_ fields: [String]) throws -> (HostileServer, joined: @Sendable () -> Bool) {
        let server = try HostileServer()
        let shared = Progress()
        server.on("/content/first", "first", fields: ["Cache-Control: max-age=600"])
        server.on("/content/join") { connection in
            if shared.state.withLock({ $0.begin() }) {
                Thread.sleep(forTimeInterval: 1)
            } else {
                shared.state.withLock { $0.isJoined = $0.isAnswered }
            }
            shared.state.withLock { $0.isAnswered = true }
            connection.send(ok(fields))
            // One block of 64 KiB more than fits.
            connection.sendRepeatedly(String(repeating: "x", count: 64 << 10), total: size - 1)
            return false
        }
        return (server, { shared.state.withLock { $0.isJoined } })
    }

    private final class Progress: Sendable {
        struct State {
            var hasBegun = false
            var isAnswered = false
            var isJoined = false

            /// Whether this is the first request.
            mutating func begin() -> Bool {
                defer { hasBegun = true }
                return !hasBegun
            }
        }

        let state = Mutex(State())
    }

    @Test(
        arguments: [
            ["Cache-Control: no-store", "Content-Length: 1073741824"],
            ["Cache-Control: no-store", "Connection: close"],
            ["Cache-Control: max-age=600", "Content-Length: 1073741824"],
            // Refused when the limit for stored bodies, 15 MiB, is passed.
            ["Cache-Control: max-age=600", "Connection: close"],
        ])
    func `that share a fetch until they are refused take less than 32 MB`(fields: [String]) async throws {
        let (server, joined) = try Self.server(fields)
        let visit = try await MeasuredRun.make("join", .asyncHTTPClient, server)
        #expect(visit.outcome == "\(Self.size) \(Self.size)")
        #expect(joined() && server.names.count == 3)
        #expect(visit.isStoreUnchanged, "something was stored, or the store is damaged")
        let growth = try #require(visit.growth)
        print("\(fields): \(growth) KiB at most, of which \(visit.pages) KiB are clean pages of the store's file")
        #expect(growth - visit.pages < 32 << 10, "\(growth) KiB")
        // No more of the file than what is stored of a body until it proves too long: 15 MiB, and what is beside it.
        #expect(visit.pages < 18 << 10, "\(visit.pages) KiB")
    }
}
#endif
