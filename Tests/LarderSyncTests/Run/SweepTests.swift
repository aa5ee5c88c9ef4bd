// Proves that a sweep removes what no filter holds any more, and only after a complete bootstrap.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A sweep` {
    private let narrow = "translations:19,20"

    @Test func `removes what no filter holds any more, and leaves what another one holds`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(19)...21 { try await fixture.origin.addTranslations(id, count: 2) }
        try await fixture.sync("translations:*")
        try await fixture.sync(narrow)
        try await fixture.origin.hide(20)
        try await fixture.origin.hide(21)
        try await fixture.origin.invalidateTokens()
        let report = try await fixture.sync("translations:*")
        #expect(report.hidden == 1)
        #expect(fixture.recordedEvents.contains(.swept(ResourceKey("translations", 21))))
        #expect(try fixture.resource(21)?.state == .empty)
        #expect(try fixture.translation(20).count == 2)
        #expect(try fixture.members() == [ResourceKey("translations", 19)])
        try await fixture.sync(narrow)
        #expect(try fixture.translation(20).isEmpty)
        #expect(try await fixture.differences(["translations:*", narrow]) == [])
    }

    @Test func `comes after every page, so a failed bootstrap removes nothing`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(19)...21 { try await fixture.origin.addTranslations(id, count: 2) }
        try await fixture.sync("translations:*")
        try await fixture.origin.invalidateTokens()
        fixture.script.plan(.fail(.connectionRefused), where: { $0.path?.hasSuffix("/21") == true })
        _ = try await fixture.failure("translations:*")
        #expect(try (Int64(19)...21).allSatisfy { try fixture.translation($0).count == 2 })
        #expect(try fixture.members().count == 3)
        #expect(try fixture.filterState("translations:*")?.isBootstrapping == true)
    }

    @Test func `after an interrupted bootstrap follows the server's last list`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(19)...21 { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.fail(.connectionRefused), where: { $0.path?.hasSuffix("/21") == true })
        _ = try await fixture.failure("translations:*", configure: { $0.concurrentSnapshots = 1 })
        #expect(try fixture.resource(19)?.state == .ready)
        // Its deletion lies before the bound of the bootstrap that goes on, so no change will ever report it.
        try await fixture.origin.hide(19)
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*"]) == [])
        #expect(try fixture.translation(19) == [:])
    }

    @Test func `does not repeat the snapshots that an interrupted bootstrap has stored`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...6 { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.fail(.connectionRefused), where: { $0.path?.hasSuffix("/6") == true })
        _ = try await fixture.failure("translations:*", configure: { $0.concurrentSnapshots = 1 })
        #expect(try await fixture.sync("translations:*").snapshots == 1)
        #expect(try await fixture.differences(["translations:*"]) == [])
    }

    @Test func `of a removed filter leaves what others hold`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(19)...21 { try await fixture.origin.addTranslations(id, count: 2) }
        try await fixture.sync("translations:*")
        try await fixture.sync(narrow)
        try await fixture.store.removeFilter("translations:*")
        #expect(try fixture.filterState("translations:*") == nil)
        #expect(try fixture.translation(21).isEmpty)
        #expect(try await fixture.differences([narrow]) == [])
        try fixture.expectSound()
    }

    @Test func `does not prevent a swept resource from returning`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 2)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:19")
        // The narrow filter is slow: it has not heard of the resource's return when the wide one goes.
        try await fixture.origin.hide(19)
        try await fixture.sync("translations:19")
        try await fixture.origin.publish(19)
        try await fixture.sync("translations:*")
        try await fixture.store.removeFilter("translations:*")
        #expect(try fixture.translation(19).isEmpty)
        try await fixture.sync("translations:19")
        #expect(try await fixture.differences(["translations:19"]) == [])
    }

    @Test func `is not made by a bootstrap when another one goes on in its place`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(19)...21 { try await fixture.origin.addTranslations(id, count: 2) }
        let filter = ResourceFilter("translations:*")
        let last = HeldResponseTransport(fixture.script) { $0.path?.contains("cursor") == true }
        let first = fixture.contentSync(over: last) { $0.perPage = 2 }
        async let outcome = first.sync(filter)
        await last.waitUntilAnswered()
        let begun = HeldResponseTransport(fixture.script)
        let second = fixture.contentSync(over: begun)
        async let other = second.sync(filter)
        await begun.waitUntilAnswered()
        last.release()
        do {
            _ = try await outcome
            Issue.record("the run that was replaced has finished")
        } catch SyncError.superseded {
            #expect(try fixture.token() == nil)
        }
        begun.release()
        #expect(try await other.kind == .bootstrap)
        #expect(try await fixture.differences(["translations:*"]) == [])
        try fixture.expectSound()
    }

    @Test func `spares a filter that is removed while its run is under way`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 2)
        try await fixture.sync("translations:*")
        try await fixture.origin.put(1, "new")
        let held = HeldResponseTransport(fixture.script)
        let sync = fixture.contentSync(over: held)
        async let outcome = sync.sync(ResourceFilter("translations:*"))
        await held.waitUntilAnswered()
        try await fixture.store.removeFilter("translations:*")
        held.release()
        do {
            _ = try await outcome
            Issue.record("the run has finished")
        } catch SyncError.superseded {
            #expect(try fixture.filterState("translations:*") == nil)
        }
        try fixture.expectSound()
    }
}
