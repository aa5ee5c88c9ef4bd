// Proves that a server's wait holds back every filter, over restarts and networks.

import HTTPTypes
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

/// A server that wants to be left alone is, by every filter, over restarts and networks.
@Suite("During a server's wait", .timeLimit(.minutes(5)))
struct ServerWaitTests {
    private func limited(_ status: HTTPResponse.Status, _ seconds: Int) async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(status), .header(.retryAfter, "\(seconds)")) { _ in true }
        return fixture
    }

    private func waitForFailures(_ fixture: CoordinatorFixture, _ times: Int) async throws {
        try await fixture.waitForEvent(times) { if case .failed = $0 { true } else { false } }
    }

    @Test(arguments: [HTTPResponse.Status.tooManyRequests, .serviceUnavailable])
    func `no filter sends to it, not even after a restart, and by hand the reason is reported`(
        _ status: HTTPResponse.Status
    ) async throws {
        let fixture = try await limited(status, 60)
        let first = try fixture.coordinator("translations:1")
        try await fixture.running(first) {
            try await waitForFailures(fixture, 1)
            #expect(fixture.script.lines.count == 1)
        }
        fixture.clock.advance(by: .seconds(20))
        let second = try fixture.coordinator("translations:1", "translations:2")
        try await fixture.running(second) {
            for filter in ["translations:1", "translations:2"] {
                let result = await outcome { () async throws(SyncError) in
                    try await second.sync(ResourceFilter.parsed(filter))
                }
                guard case .serverWait(let seconds) = result.error else {
                    Issue.record("\(result)")
                    return
                }
                #expect(seconds == 40)
            }
            fixture.network.set(.offline)
            try await second.status { $0.network == .offline }
            fixture.network.set(.online)
            try await second.status { $0.filters.allSatisfy { $0.activity.isRetry } }
            #expect(fixture.script.lines.count == 1)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(41))
            try await second.status { $0.filters.allSatisfy { $0.activity == .idle } }
        }
        #expect(try await fixture.differences("translations:1") == [])
        #expect(try await fixture.differences("translations:2") == [])
    }

    @Test func `a clock that was moved back does not make it longer`() async throws {
        let fixture = try await limited(.tooManyRequests, 60)
        let first = try fixture.coordinator("translations:1")
        try await fixture.running(first) { try await waitForFailures(fixture, 1) }
        fixture.clock.setWallClock(toMilliseconds: fixture.clock.wallMilliseconds - 86_400_000)
        let second = try fixture.coordinator("translations:1")
        try await fixture.running(second) { try await second.status { $0.isIdle } }
        #expect(try await fixture.differences("translations:1") == [])
    }

    @Test func `no filter sends to it even without a given duration`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.tooManyRequests)) { _ in true }
        let coordinator = try fixture.coordinator("translations:1")
        try await fixture.running(coordinator) {
            try await waitForFailures(fixture, 1)
            let result = await outcome { () async throws(SyncError) in
                try await coordinator.sync(ResourceFilter.parsed("translations:2"))
            }
            guard case .serverWait(seconds: 1) = result.error else {
                Issue.record("\(result)")
                return
            }
            #expect(fixture.script.lines.count == 1)
            fixture.clock.advance(by: .seconds(2))
            try await coordinator.status { $0.isIdle }
        }
        #expect(try await fixture.differences("translations:1") == [])
    }

    @Test func `the policy limits the wait`() async throws {
        let fixture = try await limited(.tooManyRequests, 7200)
        let coordinator = try fixture.coordinator("translations:1") { $0.maximumRetryAfter = .seconds(30) }
        try await fixture.running(coordinator) {
            try await waitForFailures(fixture, 1)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(31))
            try await coordinator.status { $0.isIdle }
        }
        #expect(try await fixture.differences("translations:1") == [])
    }
}

extension ResourceFilter {
    fileprivate static func parsed(_ text: String) -> ResourceFilter {
        guard let filter = try? ResourceFilter(text) else { preconditionFailure("\(text) is a filter") }
        return filter
    }
}

extension FilterStatus.Activity {
    fileprivate var isRetry: Bool { if case .waiting(for: .retry) = self { true } else { false } }
}
