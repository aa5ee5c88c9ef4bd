// Proves that clients that listen learn of changes of their filters, of all servers of a content, and of nothing else.

#if Server && canImport(Glibc)
import Foundation
import LarderServer
import Testing

#if Postgres
import LarderPostgres
import PostgresCluster
#endif

@Suite(.timeLimit(.minutes(2))) struct `The events of changes` {
    private let quick = EventSettings(interval: .milliseconds(5))

    private func configuration(
        _ change: (inout EventSettings) -> Void = { _ in }
    ) -> OriginConfiguration {
        var configuration = OriginConfiguration()
        var events = quick
        change(&events)
        configuration.events = events
        return configuration
    }

    @Test(arguments: OriginBackend.allCases)
    func `name the filters that changed, and no others`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        try await origin.createResource(.init("tafsirs", 1), rows: [])
        try await OriginServer.run(origin, configuration()) { base in
            let reader = try EventReader(base, "resources=translations:19&resources=tafsirs:*&after=2")
            let head = await reader.start()
            #expect(head.contains("text/event-stream") && head.lowercased().contains("no-store"))
            try await origin.putRow(.translation(1), in: .translation19)
            #expect(await reader.next() == "translations:19 @ 3")
            try await origin.createResource(.init("translations", 20), rows: [])
            try await origin.touchResource(.init("tafsirs", 1))
            #expect(await reader.next() == "tafsirs:* @ 5")
            try await origin.hideResource(.translation19, reason: nil)
            #expect(await reader.next() == "translations:19 @ 6")
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `begin with what changed since the number that the client has`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [.translation(1)])
        try await origin.createResource(.init("translations", 20), rows: [])
        try await OriginServer.run(origin, configuration()) { base in
            let old = try EventReader(base, "resources=translations:19&after=1")
            #expect(await old.next() == "translations:19 @ 2")
            let unknown = try EventReader(base, "resources=translations:19")
            #expect(await unknown.next() == "translations:19 @ 2")
            // A browser that connects again.
            let browser = try EventReader(
                base, "resources=translations:19&after=0", fields: "Last-Event-ID: 2\r\n")
            _ = await browser.start()
            try await origin.putRow(.translation(2), in: .translation19)
            #expect(await browser.next() == "translations:19 @ 3")
            // The change of one resource, known by this server, does not concern the other.
            let other = try EventReader(base, "resources=translations:20&resources=translations:19&after=2")
            #expect(await other.next() == "translations:19 @ 3")
        }
    }

    @Test func `are one for several changes of a client that reads slowly`() async throws {
        let origin = Origin.sample()
        try origin.createResource(.translation19, rows: [])
        try await OriginServer.run(origin, configuration { $0.rate = 1 }) { base in
            let first = try EventReader(base, "resources=translations:*&after=1")
            let second = try EventReader(base, "resources=translations:*&after=1")
            (_, _) = (await first.start(), await second.start())
            for number in 1...100 { try origin.putRow(.translation(number), in: .translation19) }
            // One event in an interval: the second client is served after the first.
            #expect(await first.next()?.hasPrefix("translations:* @") == true)
            while await second.next() != "translations:* @ 101" {}
        }
    }

    @Test func `are refused as other requests are`() async throws {
        let origin = Origin.sample()
        try origin.createResource(.translation19, rows: [])
        var limited = configuration { $0.listeners = 1 }
        limited.credentials = .init(authToken: "t", clientID: "c")
        let fields = ["x-auth-token": "t", "x-client-id": "c"]
        try await OriginServer.run(origin, limited) { base in
            let path = base + "/api/v4/resources/events?"
            let stranger = try await send("GET", path + "resources=translations:19")
            #expect(stranger.status == 401)
            for query in ["", "resources=a%3A*;", "after=1"] {
                let answer = try await send("GET", path + query, fields: fields)
                #expect(answer.code == "invalid_resources", "\(query)")
            }
            let many = (1...101).map { "resources=a:\($0)" }.joined(separator: "&")
            for query in ["resources=a:*&after=x", "resources=a:*&after=-1", many] {
                let answer = try await send("GET", path + query, fields: fields)
                #expect(answer.status == 400, "\(query)")
            }
            let one = try EventReader(
                base, "resources=translations:*", fields: "x-auth-token: t\r\nx-client-id: c\r\n")
            _ = await one.next()
            let refused = try await send("GET", path + "resources=translations:19", fields: fields)
            #expect(refused.status == 503 && refused.fields["retry-after"] == "60")
        }
        var without = OriginConfiguration()
        without.events = nil
        try await OriginServer.run(origin, without) { base in
            let answer = try await send("GET", base + "/api/v4/resources/events?resources=a:*")
            #expect(answer.status == 404)
        }
    }

    @Test func `end with the time of a connection, and with the server`() async throws {
        let origin = Origin.sample()
        try origin.createResource(.translation19, rows: [])
        try await OriginServer.run(origin, configuration { $0.connectionTime = .milliseconds(20) }) { base in
            let short = try EventReader(base, "resources=translations:*&after=1")
            #expect(await short.next() == nil)
        }
        let reader = try await OriginServer.run(origin, configuration()) { base in
            let reader = try EventReader(base, "resources=translations:*&after=1")
            _ = await reader.start()
            return Handle(reader)
        }
        #expect(await reader.value.next() == nil)
    }

    /// Carries a reader out of a body; one task at a time has it.
    private struct Handle: @unchecked Sendable {
        let value: EventReader

        init(_ value: EventReader) { self.value = value }
    }

    #if Postgres
    @Test func `are those of all servers of a database`() async throws {
        let cluster = try await PostgresCluster.shared
        let database = try await cluster.makeDatabase()
        func node() async throws -> PostgresOrigin {
            try await PostgresOrigin.open(
                PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 2)), now: { 0 })
        }
        let (one, other) = (try await node(), try await node())
        try await one.createResource(.translation19, rows: [])
        try await OriginServer.run(one, configuration()) { base in
            let reader = try EventReader(base, "resources=translations:19&after=1")
            _ = await reader.start()
            try await other.putRow(.translation(1), in: .translation19)
            #expect(await reader.next() == "translations:19 @ 2")
            // A program that knows nothing of this library.
            try await cluster.psql("DELETE FROM larder.rows", database: database)
            #expect(await reader.next() == "translations:19 @ 3")
        }
    }
    #endif
}
#endif
