// Proves that one process at a time syncs a store, so that none fetches again what another is fetching.

import LarderEngine
import LarderServer
import LarderSync
import LarderTesting
import Testing

@Suite struct `While another process syncs the store` {
    @Test func `a run sends nothing, leaves the other one alone, and may be tried again`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 2)
        // Another open file excludes as another process does.
        var lock = try OwnerLock.acquire("sync.lock", in: fixture.path)
        #expect(lock != nil)
        for _ in 1...2 {
            let error = try await fixture.failure("translations:*")
            guard case .superseded = error, error.isRetryable else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(fixture.script.lines.isEmpty)
        #expect(try fixture.filterState("translations:*") == nil)
        lock = nil
        try await fixture.sync("translations:*")
        // A run that is over holds nothing.
        lock = try OwnerLock.acquire("sync.lock", in: fixture.path)
        #expect(lock != nil)
        #expect(try await fixture.differences(["translations:*"]) == [])
    }
}
