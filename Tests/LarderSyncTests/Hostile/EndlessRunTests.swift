// Proves that a run ends with an error when a server's pages never end.

#if AsyncHTTPClient
import LarderSync
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A server whose pages have no end` {
    /// An honest-looking page behind every cursor: `C1`, `C2` and so on.
    private func endless(
        _ server: HostileServer, from first: String, cursors: Int = .max,
        _ changes: @escaping @Sendable (Int) -> [String]
    ) {
        let number = Mutexed<Int>()
        let answer: HostileServer.Answer = { connection in
            let count = number.update { ($0 ?? 0) + 1 }
            let body = page(changes(count), until: 1_000_000, cursor: "C\((count - 1) % cursors + 1)")
            return connection.send(ok(["Content-Length: \(body.utf8.count)"]) + body)
        }
        server.on(first, answer)
        server.on("*", answer)
    }

    private func expectInconsistent(
        _ error: SyncError, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .inconsistentRun(let reason) = error else {
            Issue.record("\(error)", sourceLocation: sourceLocation)
            return
        }
        #expect(reason.contains(words), "\(reason)", sourceLocation: sourceLocation)
        #expect(error.isRetryable, sourceLocation: sourceLocation)
    }

    @Test func `fails the run after a hundred empty ones in a row`() async throws {
        try await HostileSetup.run { server, fixture in
            endless(server, from: "token A") { _ in [] }
            let before = server.names.count
            expectInconsistent(try await fixture.failure("translations:*"), "100 pages in a row contained nothing new")
            #expect(server.names.count - before == 100)
        }
    }

    @Test func `fails the run at the first repeated change`() async throws {
        try await HostileSetup.run { server, fixture in
            // Of an unknown type, so that nothing of it shows.
            endless(server, from: "token A") { _ in [change(7, "SOMETHING_ELSE")] }
            let before = server.names.count
            let error = try await fixture.failure("translations:*")
            guard case .wire(.outOfOrder(path: "sync.mutations[0].sequence"), request: .page) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(server.names.count - before == 2)
        }
    }

    @Test func `fails the run when a bootstrap lists the same resources again and again`() async throws {
        let server = try HostileSetup.server()
        try await HostileSetup.Client(server).run { fixture in
            endless(server, from: "bootstrap") { number in [change(1, "RESOURCE_CREATE", Int64(number % 3) + 19)] }
            for id in Int64(19)...21 {
                let body = snapshot(id, at: 1_000_000, "one")
                server.on("translations/\(id)") { $0.send(ok(["Content-Length: \(body.utf8.count)"]) + body) }
            }
            expectInconsistent(try await fixture.failure("translations:*"), "100 pages in a row contained nothing new")
            // Every copy was fetched once.
            #expect(server.names.filter { $0.hasPrefix("translations/") }.count == 3)
            #expect(try fixture.token() == nil)
        }
    }

    @Test(arguments: 1...20)
    func `fails the run when the pages form a cycle`(length: Int) async throws {
        try await HostileSetup.run { server, fixture in
            endless(server, from: "token A", cursors: length) { _ in [] }
            let before = server.names.count
            expectInconsistent(try await fixture.failure("translations:*"), "the pages form a cycle")
            #expect(server.names.count - before <= 3 * length + 3)
        }
    }
}
#endif
