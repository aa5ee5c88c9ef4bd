// Proves that a resource follows hiding, publishing, emptying and schema changes, and is never seen half changed.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

@Suite("The lifecycle of a resource", .timeLimit(.minutes(5)))
struct ResourceLifecycleTests {
    /// Lets a coordinator keep a resource in step; `change` gets a function that brings it up to date once more.
    private func withSyncedResource(
        _ change: (CoordinatorFixture, () async throws -> ResourceReadiness?) async throws -> Void
    ) async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let filter = ResourceFilter("translations:*")
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            try await change(fixture) {
                _ = try await coordinator.sync(filter)
                return try fixture.store.read { view in try view.readiness(of: ResourceKey("translations", 19)) }
            }
        }
        #expect(try await fixture.differences() == [])
        try fixture.expectSound()
    }

    @Test func `hidden, and public again`() async throws {
        try await withSyncedResource { fixture, sync in
            try await fixture.origin.hide(19)
            let hidden = try #require(try await sync())
            #expect(hidden.state == .hidden && !hidden.isComplete && hidden.rowCount == 0)
            #expect(try fixture.text(1) == nil)
            #expect(fixture.recordedEvents.contains(.hidden(ResourceKey("translations", 19))))
            // Nothing is missing: what the server does not show is not waited for.
            #expect(try fixture.readiness()?.isComplete == true)
            try await fixture.origin.put(1, "behind the curtain")
            #expect(try await sync()?.state == .hidden)
            try await fixture.origin.publish(19)
            let shown = try #require(try await sync())
            #expect(shown.state == .ready && shown.rowCount == 3)
            #expect(try fixture.text(1) == payload(1, "behind the curtain"))
        }
    }

    @Test func `emptied, and filled again`() async throws {
        try await withSyncedResource { fixture, sync in
            try await fixture.origin.replace(19, with: [])
            let emptied = try #require(try await sync())
            // Without rows it is as complete as any.
            #expect(emptied.rowCount == 0 && emptied.isComplete)
            try await fixture.origin.replace(19, with: Origin.translations(5))
            #expect(try await sync()?.rowCount == 5)
            for key in 1...5 { try await fixture.origin.delete(key) }
            let deleted = try #require(try await sync())
            #expect(deleted.rowCount == 0 && deleted.isComplete)
        }
    }

    @Test func `of another schema version, which is reported`() async throws {
        try await withSyncedResource { fixture, sync in
            #expect(try await sync()?.schemaVersion == 1)
            try #require(fixture.origin as? Origin).schemaVersion = 2
            try await fixture.origin.replace(19, with: Origin.translations(4))
            #expect(try await sync()?.schemaVersion == 2)
            #expect(fixture.recordedEvents.contains(.schemaChanged(ResourceKey("translations", 19), from: 1, to: 2)))
        }
    }

    @Test func `never seen half changed`() async throws {
        try await withSyncedResource { fixture, sync in
            let watch = RepeatedReader(fixture.store) { view in
                let rows = try view.rows(in: .all(of: ResourceKey("translations", 19)))
                return Set(rows.map { Array($0.payload).count }).count <= 1 && [0, 3, 7].contains(rows.count)
            }
            for _ in 1...5 {
                try await fixture.origin.replace(19, with: Origin.translations(7, "seven"))
                _ = try await sync()
                try await fixture.origin.hide(19)
                _ = try await sync()
                try await fixture.origin.replace(19, with: Origin.translations(3, "three"))
                try await fixture.origin.publish(19)
                _ = try await sync()
            }
            #expect(watch.stop().wrong == 0)
        }
    }
}
