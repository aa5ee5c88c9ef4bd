// Proves that a snapshot that cannot be fetched blocks no other resource, loses no change, and is reported.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

/// A snapshot that cannot be had keeps no other resource from coming, loses no change, and is named.
@Suite(.timeLimit(.minutes(20))) struct `A snapshot that cannot be fetched` {
    private static let faults: [Fault] = [
        .status(.internalServerError), .status(.forbidden), .status(.notFound), .body(Array("{".utf8)),
        .truncate(after: 30), .status(.unauthorized), .status(.tooManyRequests), .status(.found),
        .header(.contentType, "text/html"),
    ]

    private static func isOf(_ id: Int64) -> @Sendable (HTTPRequest) -> Bool {
        { $0.path?.hasSuffix("/snapshots/translations/\(id)") == true }
    }

    private func expectIncomplete(_ error: SyncError, _ ids: Int64...) {
        guard case .incomplete(let failures) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(failures.map(\.resource.id) == ids)
        #expect(failures.allSatisfy { !$0.reason.isEmpty })
    }

    private func readiness(_ fixture: SyncFixture) throws -> FilterReadiness {
        try #require(try fixture.store.read { view in try view.readiness(of: "translations:*") })
    }

    @Test(arguments: faults)
    func `in a bootstrap blocks nothing else`(_ fault: Fault) async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...12 { try await fixture.origin.addTranslations(id, count: 3) }
        fixture.script.plan(fault, times: 100, where: Self.isOf(2))
        expectIncomplete(try await fixture.failure("translations:*", configure: { $0.perPage = 5 }), 2)
        for id in Int64(1)...12 where id != 2 { #expect(try fixture.translation(id).count == 3, "\(id)") }
        #expect(try fixture.token() == nil)
        let readiness = try readiness(fixture)
        #expect(readiness.failedMembers.map(\.resource.id) == [2])
        #expect(!readiness.isComplete)
        try fixture.expectSound()
        fixture.script.clearPlans()
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*"]) == [])
        #expect(try self.readiness(fixture).failedMembers == [])
    }

    @Test(arguments: faults)
    func `in a run of changes blocks nothing else, and loses none of its own`(_ fault: Fault) async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...4 { try await fixture.origin.addTranslations(id, count: 3) }
        try await fixture.sync("translations:*")
        let token = try fixture.token()
        try await fixture.origin.replace(2, with: Origin.translations(2, "new"))
        try await fixture.origin.put(1, "later", in: 2)
        try await fixture.origin.put(1, "new", in: 3)
        try await fixture.origin.addTranslations(5, count: 3)
        try await fixture.origin.put(2, "latest", in: 2)
        fixture.script.plan(fault, times: 100, where: Self.isOf(2))
        for _ in 1...2 {
            expectIncomplete(try await fixture.failure("translations:*", configure: { $0.perPage = 2 }), 2)
            #expect(try fixture.translation(2).values.sorted() == (1...3).map { payload($0, "row \($0)") })
            #expect(try fixture.text(1, of: 3) == payload(1, "new"))
            #expect(try fixture.translation(5).count == 3)
            #expect(try fixture.token() == token)
            #expect(try readiness(fixture).isComplete)
        }
        fixture.script.clearPlans()
        try await fixture.origin.put(2, "last", in: 2)
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1, of: 2) == payload(1, "later"))
        #expect(try await fixture.differences(["translations:*"]) == [])
        try fixture.expectSound()
    }

    @Test func `because it is too large is reported like the others`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...3 { try await fixture.origin.addTranslations(id, count: id == 2 ? 500 : 3) }
        let error = try await fixture.failure("translations:*", configure: { $0.limits.snapshotBytes = 2000 })
        expectIncomplete(error, 2)
        #expect(try fixture.translation(3).count == 3)
    }

    @Test func `of a resource that is deleted later in the run is not missed`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...2 { try await fixture.origin.addTranslations(id, count: 3) }
        try await fixture.sync("translations:*")
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.contains("cursor=") == true }
        try await fixture.origin.replace(2, with: Origin.translations(2, "new"))
        try await fixture.origin.put(1, "new", in: 1)
        try await fixture.origin.hide(2)
        fixture.script.plan(.status(.internalServerError), times: 100, where: Self.isOf(2))
        heldRequests.release()
        try await fixture.sync("translations:*", over: heldRequests, configure: { $0.perPage = 1 })
        #expect(try await fixture.differences(["translations:*"]) == [])
    }

    @Test func `is requested after those that never failed`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...4 { try await fixture.origin.addTranslations(id, count: 1) }
        fixture.script.plan(.status(.internalServerError), times: 100, where: Self.isOf(1))
        _ = try await fixture.failure("translations:*")
        // A change moves the bound, so that everything is asked for again.
        try await fixture.origin.put(1, "new", in: 4)
        let count = fixture.script.lines.count
        _ = try await fixture.failure("translations:*", configure: { $0.concurrentSnapshots = 1 })
        let requested = fixture.script.lines.dropFirst(count).compactMap { $0.split(separator: "/").last }.filter {
            Int($0) != nil
        }
        #expect(requested == ["2", "3", "4", "1"])
    }

    @Test func `among several refused in a row does not block later pages`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...12 { try await fixture.origin.addTranslations(id, count: 1) }
        func refuse() {
            fixture.script.plan(.status(.forbidden), times: 1000) { request in
                (Int64(1)...6).contains { Self.isOf($0)(request) }
            }
        }
        refuse()
        let error = try await fixture.failure("translations:*", configure: { $0.perPage = 6 })
        expectIncomplete(error, 1, 2, 3, 4, 5, 6)
        for id in Int64(7)...12 { #expect(try fixture.translation(id).count == 1, "\(id)") }
        fixture.script.clearPlans()
        try await fixture.sync("translations:*")
        for id in Int64(1)...6 { try await fixture.origin.replace(id, with: Origin.translations(2)) }
        try await fixture.origin.put(1, "new", in: 7)
        refuse()
        let next = try await fixture.failure("translations:*", configure: { $0.perPage = 6 })
        expectIncomplete(next, 1, 2, 3, 4, 5, 6)
        #expect(try fixture.text(1, of: 7) == payload(1, "new"))
    }

    @Test func `among several that failed before does not block later pages, also by hand`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...12 { try await fixture.origin.addTranslations(id, count: 1) }
        fixture.script.plan(.status(.internalServerError), times: 1000) { request in
            (Int64(1)...5).contains { Self.isOf($0)(request) }
        }
        guard case .unavailable = try await fixture.failure("translations:*", configure: { $0.perPage = 5 }) else {
            Issue.record("another reason")
            return
        }
        expectIncomplete(try await fixture.failure("translations:*", configure: { $0.perPage = 5 }), 1, 2, 3, 4, 5)
        for id in Int64(6)...12 { #expect(try fixture.translation(id).count == 1, "\(id)") }
    }

    @Test func `holds up only the bootstrap that waits for it`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(1, count: 2)
        for id in Int64(2)...3 { try await fixture.origin.addTranslations(id, count: 1) }
        fixture.script.plan(.status(.forbidden), times: 100, where: Self.isOf(2))
        // The rows of 1 cannot be named, so that runs pass over it: nothing waits for that.
        let mapping = RowKeyMapping(capturing: ["text"]) { (_, fields) throws(WireError) in
            guard case .string(let text)? = fields["text"], text != "row 2" else { throw .unknownGroup }
            return SnapshotRowKey(type: "translation", key: text)
        }
        // Before the failure, so that the wait after it is not over on a slow machine.
        let now = fixture.store.host.now()
        expectIncomplete(try await fixture.failure("translations:*", configure: { $0.keyMapping = mapping }), 2)
        func begin() async throws {
            _ = try await fixture.store.write { transaction in
                try transaction.beginRun("translations:*", now: now, isManual: false)
            }
        }
        let held = try #require(await #expect(throws: SyncError.self) { try await begin() })
        expectIncomplete(held, 2)
        fixture.script.clearPlans()
        try await fixture.sync("translations:2")
        // What it waited for has come by another filter's doing.
        try await begin()
    }

    @Test func `of many in a row ends the run`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...40 { try await fixture.origin.addTranslations(id, count: 1) }
        fixture.script.plan(.status(.internalServerError), times: 1000) { $0.path?.contains("/snapshots/") == true }
        guard case .unavailable = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(fixture.script.lines.count { $0.contains("/snapshots/") } <= 7)
    }
}

/// The wait after a failed snapshot: growing, kept in the store, and no burden on what else there is.
@Suite(.timeLimit(.minutes(20))) struct `After a run without some resources` {
    private func pages(_ fixture: CoordinatorFixture) -> Int {
        fixture.script.lines.count { $0.contains("/sync?") }
    }

    private func failing(_ ids: ClosedRange<Int64> = 1...3) async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        for id in ids { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.internalServerError), times: 1000) {
            $0.path?.hasSuffix("/translations/2") == true
        }
        return fixture
    }

    private func waitForFailures(_ fixture: CoordinatorFixture, _ times: Int) async throws {
        try await fixture.waitForEvent(times) { if case .failed = $0 { true } else { false } }
    }

    @Test func `a bootstrap is not restarted by every trigger, restart or network`() async throws {
        let fixture = try await failing()
        let first = try fixture.coordinator("translations:*")
        try await fixture.running(first) {
            try await waitForFailures(fixture, 1)
            #expect(pages(fixture) == 1)
            let status = try await first.status { $0.filters[0].lastError != nil }
            #expect(status.description.contains("translations/2"))
            for number in 2...4 {
                first.trigger(.push(nil))
                try await waitForFailures(fixture, number)
            }
            #expect(pages(fixture) == 1)
        }
        let second = try fixture.coordinator("translations:*")
        try await fixture.running(second) {
            try await waitForFailures(fixture, 5)
            fixture.network.set(.offline)
            try await second.status { $0.network == .offline }
            fixture.network.set(.online)
            try await waitForFailures(fixture, 6)
            #expect(pages(fixture) == 1)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(11))
            try await waitForFailures(fixture, 7)
            #expect(pages(fixture) == 2)
            #expect(fixture.snapshotRequests(of: 2) == 2)
            // Nothing had changed, so nothing else was fetched again.
            #expect(fixture.snapshotRequests(of: 1) == 1 && fixture.snapshotRequests(of: 3) == 1)
            // Asked for by hand it is fetched without a wait.
            fixture.script.clearPlans()
            _ = try await second.sync(ResourceFilter("translations:*"))
        }
        #expect(try await fixture.differences() == [])
    }

    @Test func `other changes are applied at once, and the resource is not requested`() async throws {
        let fixture = try await failing(1...1)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle && $0.filters[0].readiness?.isComplete == true }
            try await fixture.origin.addTranslations(2, count: 2)
            coordinator.trigger(.push(nil))
            try await waitForFailures(fixture, 1)
            try await fixture.origin.put(1, "new", in: 1)
            coordinator.trigger(.push(nil))
            try await waitForFailures(fixture, 2)
            #expect(try fixture.text(1, of: 1) == payload(1, "new"))
            #expect(fixture.snapshotRequests(of: 2) == 1)
            fixture.script.clearPlans()
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(11))
            try await coordinator.status { $0.isIdle && $0.filters[0].lastError == nil }
        }
        #expect(try await fixture.differences() == [])
    }

    @Test func `the waits grow to an hour, and a clock that was moved back blocks nothing`() {
        let resource = ResourceKey("translations", 1)
        let waits = (1...7).map { attempts in
            ResourceFailure(
                resource, SnapshotFailure(kind: .transient, count: Int64(attempts), failedAt: 1000, reason: "-")
            ).retryAt - 1000
        }
        #expect(waits == [10, 60, 300, 1800, 3600, 3600, 3600].map { $0 * 1000 })
        let late = ResourceFailure(
            resource, SnapshotFailure(kind: .transient, count: .max, failedAt: .max, reason: "-"))
        #expect(!late.isBackingOff(now: 0) && late.retryAt == .max)
    }
}
