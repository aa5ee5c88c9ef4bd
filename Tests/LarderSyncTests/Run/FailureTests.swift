// Proves that a run which fails in any exchange keeps its token and whole resources, and that the next one recovers.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A run that fails` {
    private static let faults: [Fault] = [
        .fail(.connectionRefused), .loseResponse(.connectionLost(reason: "test")), .cut(after: 40),
        .truncate(after: 40),
        .status(.serviceUnavailable), .status(.notFound), .body(Array("{".utf8)),
    ]

    /// An origin with resources and row changes that a run meets on several pages.
    private func prepare(_ fixture: SyncFixture) async throws {
        for id in Int64(1)...4 { try await fixture.origin.addTranslations(id, count: 20) }
        try await fixture.sync("translations:*", configure: { $0.perPage = 2 })
        try await fixture.origin.put(1, "new", in: 1)
        try await fixture.origin.replace(2, with: Origin.translations(25, "new"))
        try await fixture.origin.delete(2, in: 1)
        try await fixture.origin.hide(3)
        try await fixture.origin.put(7, "new", in: 4)
        try await fixture.origin.addTranslations(5, count: 30)
        try await fixture.origin.put(8, "new", in: 5)
    }

    /// The rows of each resource as they were before, and as they may be after.
    private func expectWhole(_ fixture: SyncFixture) throws {
        let second = try fixture.translation(2)
        #expect(second.count == 20 || second.count == 25)
        #expect(Set(second.values.map { $0.contains("new") }).count == 1)
        #expect([0, 30].contains(try fixture.translation(5).count))
        try fixture.expectSound()
    }

    /// §1.1.20, §1.1.21, §1.1.24, §1.1.27
    @Test(arguments: Wiring.allCases)
    func `in any of its exchanges keeps the token and whole resources, and is completed by the next`(
        _ wiring: Wiring
    ) async throws {
        for fault in Self.faults {
            try await wiring.run { fixture in
                try await prepare(fixture)
                let token = try fixture.token()
                var exchange = fixture.script.recorded.count
                var failures = 0
                while true {
                    fixture.script.plan(fault, exchange: exchange)
                    do {
                        try await fixture.sync(
                            "translations:*",
                            configure: {
                                $0.perPage = 2
                                $0.concurrentSnapshots = 1
                            })
                        break
                    } catch is SyncError {
                        failures += 1
                        #expect(try fixture.token() == token)
                        try expectWhole(fixture)
                        // Another exchange further into the run than the one that has just failed.
                        exchange = fixture.script.recorded.count + failures
                    }
                }
                #expect(failures > 2)
                fixture.script.clearPlans()
                try await fixture.sync("translations:*")
                #expect(try await fixture.differences(["translations:*"]) == [])
            }
        }
    }

    /// §1.1.24
    @Test(arguments: Wiring.allCases)
    func `in any exchange of its bootstrap stores no token`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            for id in Int64(1)...4 { try await fixture.origin.addTranslations(id, count: 20) }
            for exchange in 0..<6 {
                fixture.script.plan(
                    .fail(.timeout(.head)), exchange: fixture.script.recorded.count + min(exchange, 2))
                _ = try await fixture.failure(
                    "translations:*",
                    configure: {
                        $0.perPage = 2
                        $0.concurrentSnapshots = 1
                    })
                fixture.script.clearPlans()
                #expect(try fixture.token() == nil)
                try fixture.expectSound()
            }
            try await fixture.sync("translations:*")
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    @Test func `is recorded with the rows that it had changed, also when it was cancelled`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        try await fixture.sync("translations:*")
        for number in 1...3 { try await fixture.origin.put(number, "new") }
        fixture.script.plan(.fail(.connectionRefused), exchange: fixture.script.recorded.count + 1)
        _ = try await fixture.failure("translations:*", configure: { $0.perPage = 1 })
        let held = HeldRequestTransport(fixture.script) { $0.path?.contains("cursor") == true }
        let running = Task { try await fixture.sync("translations:*", over: held, configure: { $0.perPage = 2 }) }
        await held.waitUntilHeld()
        running.cancel()
        held.release()
        await #expect(throws: SyncError.self) { try await running.value }
        try await fixture.sync("translations:*")
        let runs = try #require(try fixture.store.read { view in try view.filters() }.first).runs
        let refused = SyncError.transport(.connectionRefused).description
        #expect(runs.dropFirst().map(\.error) == [refused, SyncError.cancelled.description, nil])
        #expect(runs.map(\.rowsWritten).reduce(0, +) == 3 + 3)
        #expect(runs.dropFirst().allSatisfy { $0.rowsWritten == 1 && $0.count == 1 }, "\(runs)")
    }

    @Test(arguments: Wiring.allCases)
    func `because the body of a page or a snapshot stalls ends in time`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 50)
            for part in ["/sync?", "snapshots"] {
                fixture.script.plan(.stall(after: 100), where: { $0.path?.contains(part) == true })
                let error = try await fixture.failure(
                    "translations:*", configure: { $0.timeouts = TransportTimeouts(idle: .milliseconds(20)) })
                guard case .transport(.timeout(.idle)) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(error.isRetryable)
            }
            try await fixture.sync("translations:*")
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    @Test func `because a page was cut at any byte applies nothing of it`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        let whole = page([row(2, 1, "two")], until: 2, token: "B")
        for count in 0..<whole.utf8.count {
            server.on("token A", [CannedServer.Answer(body: Array(whole.utf8.prefix(count)))])
            guard case .wire(.json, request: .page) = try await fixture.failure("translations:*") else {
                Issue.record("after \(count) bytes")
                return
            }
        }
        #expect(try fixture.text(1) == payload(1, "one"))
        server.on("token A", whole)
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1) == payload(1, "two"))
    }

    @Test func `because a snapshot was cut at any byte leaves the rows unchanged`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        server.on("token A", page([change(2, "RESOURCE_INVALIDATE")], until: 2, token: "B"))
        let whole = snapshot(at: 2, "two", "three")
        for count in 0..<whole.utf8.count {
            server.on("translations/19", [CannedServer.Answer(body: Array(whole.utf8.prefix(count)))])
            guard case .incomplete = try await fixture.failure("translations:*") else {
                Issue.record("after \(count) bytes")
                return
            }
        }
        #expect(try fixture.translation(19) == ["1": payload(1, "one")])
        #expect(try fixture.token() == "A")
        try fixture.expectSound()
        server.on("translations/19", whole)
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(19).count == 2)
    }
}
