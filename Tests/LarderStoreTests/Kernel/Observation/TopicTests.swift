// Proves that a commit reaches the observers of what changed, and costs nothing for those of other things.

import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `The topics of a commit` {
    private let name = CollectionName(class: "translation", query: "latest")

    private var regions: [Region] {
        [
            .everything, .group("translations"), .group("tafsirs"), .resource(translations), .resource(tafsirs),
            .type("translation", of: translations), .rows(key(1)...key(5)), .row(key(1)), .row(key(1, tafsirs)),
            .outbox,
            .filter("translations:*"), .evictions, .buffers, .collection(name, home: translations),
        ]
    }

    @Test func `include one of each region that it concerns`() {
        let edits: [(inout ChangeSet) -> Void] = [
            { $0.addUpsert(key(1)) }, { $0.addRemoval(key(4)) }, { $0.addUpsert(key(1, tafsirs)) },
            { $0.addReplaced(translations) }, { $0.addLane("a") }, { $0.addFilter("translations:*") },
            { $0.addEviction(Eviction(.resource(translations), bytes: 1)) },
            { $0.addBuffer(BufferName("points")) }, { $0.addCollection(name) },
        ]
        var count = 0
        for edit in edits {
            var changes = ChangeSet()
            edit(&changes)
            for region in regions where region.intersects(changes) {
                count += 1
                #expect(!Set(region.topics).isDisjoint(with: changes.topics), "\(region) \(changes)")
            }
        }
        // Each change concerns its own region and that of everything.
        #expect(count > 2 * edits.count)
    }

    @Test func `name no observer of another resource`() async throws {
        let hub = ObservationHub()
        let others = (0..<1_000).map { hub.subscribe(to: .resource(ResourceKey("tafsirs", $0))) }
        let observer = hub.subscribe(to: .row(key(1)))
        var changes = ChangeSet()
        changes.addUpsert(key(1))
        #expect(hub.candidates(for: changes).map(\.number) == [observer.number])
        #expect(hub.candidates(for: .everything).count == others.count + 1)
    }

    @Test func `name no observer that is gone`() {
        let hub = ObservationHub()
        var changes = ChangeSet()
        changes.addLane("a")
        var first: Subscription? = hub.subscribe(to: .outbox)
        let second = hub.subscribe(to: .outbox)
        #expect(hub.candidates(for: changes).map(\.number) == [first?.number, second.number])
        first = nil
        #expect(hub.candidates(for: changes).map(\.number) == [second.number])
    }
}
