// HostileSetup: a hostile server and a synced client, compared before and after an attack.

#if AsyncHTTPClient
import LarderFormat
import LarderStore
import LarderAsyncHTTPClient
import Testing

/// What a failed run must leave as it was.
struct StoredState: Equatable {
    let filter: FilterState?
    let resources: [Resource]
    let rows: [String: String]

    init(_ fixture: SyncFixture) throws {
        var filter = try fixture.filterState("translations:*")
        // What it says of the runs themselves changes with each.
        filter?.runs = []
        self.filter = filter
        // A generation being written is no state that a reader can see.
        resources = try fixture.store.read { view in try view.resources() }
        rows = try fixture.translation(19)
    }
}

/// A hostile server, and a client that was in step with it while it was honest.
enum HostileSetup {
    /// Bytes of bodies that are meant to be far too large: 200 MB.
    static let flood = 200_000_000

    /// A server that is honest to a bootstrap: translation 19 has one row at the sequence 1, the token is `A`.
    static func server() throws -> HostileServer {
        let server = try HostileServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        return server
    }

    /// Runs `attack` against a client in step; it makes the server hostile, and gives the error of the next run.
    ///
    /// Afterwards token, rows, membership and applied sequence are what they were, and an honest answer is accepted.
    static func run(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ attack: (HostileServer, SyncFixture) async throws -> Void
    ) async throws {
        let server = try server()
        try await Client(server).run(sourceLocation: sourceLocation) { fixture in
            try await fixture.sync("translations:*")
            let before = try StoredState(fixture)
            try await attack(server, fixture)
            #expect(try StoredState(fixture) == before, sourceLocation: sourceLocation)
            server.on("token A", page([row(2, 1, "honest")], until: 2, token: "B"))
            try await fixture.sync("translations:*")
            #expect(try fixture.translation(19) == ["1": payload(1, "honest")], sourceLocation: sourceLocation)
            #expect(try fixture.token() == "B", sourceLocation: sourceLocation)
        }
    }

    /// A client with a store of its own, over HTTP.
    struct Client {
        private let server: HostileServer

        init(_ server: HostileServer) {
            self.server = server
        }

        /// Runs `body`, and looks at the store afterwards: whatever happened, it must be sound.
        func run(
            sourceLocation: SourceLocation = #_sourceLocation, _ body: (SyncFixture) async throws -> Void
        ) async throws {
            let transport = AsyncHTTPClientTransport()
            let fixture = try SyncFixture(transport: transport, base: server.base)
            do {
                try await body(fixture)
            } catch {
                await transport.shutdown()
                throw error
            }
            await transport.shutdown()
            try fixture.expectSound(sourceLocation: sourceLocation)
        }
    }
}

extension HostileServer {
    /// Asks for a second copy of translation 19 behind the token `A`, and answers it with `answer`.
    func onSecondSnapshot(_ answer: @escaping Answer) {
        let copies = Mutexed<Int>()
        on("token A", page([change(2, "RESOURCE_INVALIDATE")], until: 2, token: "B"))
        on("translations/19") { connection in
            // The first one is that of the bootstrap.
            if copies.update({ ($0 ?? 0) + 1 }) > 1 { return answer(connection) }
            let honest = snapshot(at: 1, "one")
            return connection.send(ok(["Content-Length: \(honest.utf8.count)"]) + honest)
        }
    }
}
#endif
