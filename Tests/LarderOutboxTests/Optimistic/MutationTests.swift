// Proves that an optimistic mutation cancels and repeats the refreshes of what it changes.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// Records its calls in order, with what readers saw at each.
private final class RefreshRecorder: RefreshControl {
    private let log = Mutex<[String]>([])
    private let world: OutboxWorld

    init(_ world: OutboxWorld) { self.world = world }

    var lines: [String] { log.withLock { $0 } }

    func cancelRefreshes(of key: String) async { record("cancel", key) }

    func refreshValues(of key: String) async { record("refresh", key) }

    private func record(_ word: String, _ key: String) {
        let shown = (try? world.visitShown()) ?? "nothing"
        log.withLock { $0.append("\(word) \(key): \(shown)") }
    }

    func wait(for count: Int) async throws {
        while lines.count < count { try await Task.sleep(for: .milliseconds(5)) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `An optimistic mutation` {
    @Test func `cancels refreshes, shows its effect, and refreshes when the server has it [§4.2.9]`() async throws {
        let world = try OutboxWorld()
        try await world.putVisit("old")
        let outbox = try world.outbox()
        let refreshes = RefreshRecorder(world)
        try await world.running(outbox) {
            let queued = try await outbox.mutate(saveVisit("new"), refreshing: "visits", with: refreshes)
            #expect(try world.visitShown() == "new")
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            try await refreshes.wait(for: 2)
            #expect(refreshes.lines == ["cancel visits: old", "refresh visits: new"])
        }
    }

    @Test func `is rolled back and refreshed when the server refuses it [§4.2.9]`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .unprocessableContent) }
        try await world.putVisit("old")
        let outbox = try world.outbox()
        let refreshes = RefreshRecorder(world)
        try await world.running(outbox) {
            try await outbox.mutate(saveVisit("new"), refreshing: "visits", with: refreshes)
            try await refreshes.wait(for: 2)
            #expect(refreshes.lines == ["cancel visits: old", "refresh visits: old"])
            #expect(try world.visitShown() == "old")
        }
    }

    @Test func `made without a network is shown at once and refreshed once it has gone out`() async throws {
        let world = try OutboxWorld(.offline)
        try await world.putVisit("old")
        let outbox = try world.outbox()
        let refreshes = RefreshRecorder(world)
        try await world.running(outbox) {
            try await outbox.mutate(saveVisit("new"), refreshing: "visits", with: refreshes)
            #expect(try world.visitShown() == "new")
            #expect(refreshes.lines == ["cancel visits: old"])
            world.network.set(.online)
            try await refreshes.wait(for: 2)
            #expect(refreshes.lines.last == "refresh visits: new")
        }
    }

    @Test func `that is given up refreshes too`() async throws {
        let world = try OutboxWorld(.offline)
        try await world.putVisit("old")
        let outbox = try world.outbox()
        let refreshes = RefreshRecorder(world)
        try await world.running(outbox) {
            let queued = try await outbox.mutate(saveVisit("new"), refreshing: "visits", with: refreshes)
            try await outbox.drop(queued.id)
            try await refreshes.wait(for: 2)
            #expect(refreshes.lines.last == "refresh visits: old")
        }
    }

    @Test func `that another write replaces refreshes when that has gone out, and not before`() async throws {
        let world = try OutboxWorld(.offline)
        try await world.putVisit("old")
        let outbox = try world.outbox()
        let refreshes = RefreshRecorder(world)
        let before = Mutex<[String]>([])
        world.answer { _ in
            before.withLock { $0 = refreshes.lines }
            return TransportResponse(status: .ok)
        }
        try await world.running(outbox) {
            let old = try await outbox.mutate(saveVisit("new"), refreshing: "visits", with: refreshes).id
            var draft = try #require(try world.entries().first).draft
            draft.id = UUIDBytes(high: 9, low: 9)
            let new = draft
            try await world.store.write {
                try $0.replaceEntry(old, with: new, effects: [], outcome: "superseded", at: 2)
            }
            world.network.set(.online)
            #expect(try await outbox.outcome(of: new.id) == .accepted)
            try await refreshes.wait(for: 2)
        }
        #expect(before.withLock { $0 } == ["cancel visits: old"])
        #expect(refreshes.lines.count == 2 && world.requests.map(\.key) == ["\(UUIDBytes(high: 9, low: 9))"])
    }

    @Test func `that cannot be made durable refreshes what it cancelled`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox(policy: { $0.bounds.entries = 1 })
        let refreshes = RefreshRecorder(world)
        try await outbox.enqueue(makeNoteWrite(1))
        await #expect(throws: OutboxError.self) {
            try await outbox.mutate(saveVisit("new"), refreshing: "visits", with: refreshes)
        }
        #expect(refreshes.lines.map { $0.prefix(7) } == ["cancel ", "refresh"])
    }
}
