// Proves that a filter added to a running coordinator is bootstrapped and refreshed.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

@Suite("The coordinator as a service", .timeLimit(.minutes(5)))
struct ServiceTests {
    @Test func `a filter that is added is bootstrapped, and brought up to date as time passes`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let ready = try await coordinator.waitUntilReady(ResourceFilter("translations:*"))
            #expect(ready.members.map(\.rowCount) == [3])
            try await coordinator.status { $0.filters[0].activity == .idle }
            try await fixture.origin.put(2, "new")
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(15 * 60))
            for try await text in fixture.store.values(
                in: .everything,
                { view in
                    try view.payload(
                        at: RowKey(resource: ResourceKey("translations", 19), type: "translation", key: "2"))
                }) where text.map({ String(decoding: $0, as: UTF8.self) }) == payload(2, "new")
            { break }
        }
    }
}
