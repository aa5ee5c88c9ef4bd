// Proves that an accepted write does not bring back a resource that was withdrawn, and is released with its last filter.

import LarderFormat
import LarderStore
import Testing

@Suite struct `A write over a resource that is withdrawn` {
    @Test func `does not bring it back when it is accepted after the last filter was removed`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.store.removeFilter(ReleaseFixture.filter)
        #expect(try fixture.text(1) == "mine")
        try await fixture.accept(1, at: 12)
        #expect(try fixture.text(1) == nil)
        #expect(try fixture.state == .empty)
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.findings() == [])
    }

    @Test func `does not bring back what the server has hidden`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.hide(at: 11)
        try await fixture.store.removeFilter(ReleaseFixture.filter)
        try await fixture.accept(1)
        #expect(try fixture.text(1) == nil)
        #expect(try fixture.state == .hidden)
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.findings() == [])
    }

    @Test func `is materialized where no filter ever delivered anything of it`() async throws {
        let fixture = try await ReleaseFixture()
        let effect = RowEffect(.replacement(bytes("mine")), at: key(1, tafsirs))
        try await fixture.enqueue(1, [effect])
        try await fixture.store.removeFilter(ReleaseFixture.filter)
        try await fixture.accept(1)
        #expect(try fixture.store.read { view in try view.payload(at: key(1, tafsirs)) } == bytes("mine"))
        #expect(try fixture.store.read { view in try view.overlays(of: tafsirs) } == [])
    }

    @Test func `accepted before the withdrawal is released with the last filter, even if that one has dropped it`()
        async throws
    {
        let fixture = try await ReleaseFixture()
        try await fixture.store.write { try $0.updateFilter("tafsirs:*") { $0.run = 1 } }
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1)
        try await fixture.hide(at: 11)
        try await fixture.store.removeFilter("tafsirs:*")
        #expect(try fixture.text(1) == "mine")
        try await fixture.store.removeFilter(ReleaseFixture.filter)
        #expect(try fixture.text(1) == nil)
        #expect(try fixture.state == .hidden)
        #expect(try fixture.overlays == [])
        #expect(try fixture.store.findings() == [])
    }

    @Test func `is released with the last filter that held it while there are others`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.store.write { try $0.updateFilter("tafsirs:*") { $0.run = 1 } }
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.enqueue(2, [localEffect(2)], lane: "b")
        try await fixture.accept(1, at: 500)
        try await fixture.store.removeFilter(ReleaseFixture.filter)
        #expect(try fixture.overlays.map(\.key) == [key(2)])
        #expect(try fixture.store.findings() == [])
    }
}
