// Proves that the coordinator walks its lists when added, again over time, by hand and after failures.

import Foundation
import LarderFormat
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// A server's list of numbers and words, which a test changes, and which may be out of reach.
private final class WordList: PageSource {
    let paging = Paging.keyset
    private let words: Mutex<[Int: String]?>

    init(_ words: [Int: String]) {
        self.words = Mutex(words)
    }

    /// Nil for a server that does not answer.
    func set(_ words: [Int: String]?) { self.words.withLock { $0 = words } }

    func page(_ request: PageRequest) async throws -> ListPage {
        guard case .keyset(let after, let size) = request, let words = words.withLock({ $0 }) else {
            throw TransportError.connectionRefused
        }
        let start = after.flatMap { Int($0) } ?? 0
        let items = words.sorted { $0.key < $1.key }.filter { $0.key > start }.prefix(size)
        return ListPage(items: items.map { ListItem(key: "\($0.key)", payload: Array("\"\($0.value)\"".utf8)) })
    }
}

@Suite("Lists that the coordinator syncs", .timeLimit(.minutes(5)))
struct ListsTests {
    private let resource = ResourceKey("words", 1)

    private func words(_ fixture: CoordinatorFixture) throws -> [String] {
        try fixture.store.read { view in
            try view.rows(in: .all(of: resource)).map { String(decoding: $0.payload, as: UTF8.self) }
        }
    }

    @Test func `are walked when added, and again as time passes`() async throws {
        let fixture = try CoordinatorFixture()
        let source = WordList([1: "one", 9: "nine", 10: "ten"])
        let coordinator = try fixture.coordinator()
        coordinator.add(PagedList(resource, type: "word", source: source))
        try await fixture.running(coordinator) {
            let ready = try await coordinator.waitUntilReady(ResourceFilter("words:1"))
            #expect(ready.members.map(\.rowCount) == [3] && ready.remainingResourceCount == 0)
            try await coordinator.status { $0.filters[0].activity == .idle }
            source.set([1: "one", 9: "neuf"])
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(15 * 60))
            for try await found in fixture.store.values(in: .everything, { _ in 0 }) where found == 0 {
                if try words(fixture) == ["\"one\"", "\"neuf\""] { break }
            }
        }
        #expect(try words(fixture) == ["\"one\"", "\"neuf\""])
    }

    @Test(arguments: [true, false])
    func `are not covered by a filter, which would remove each other's rows`(_ isListFirst: Bool) async {
        await #expect(processExitsWith: .failure) { [isListFirst] in
            let coordinator = try CoordinatorFixture().coordinator()
            let list = PagedList(ResourceKey("words", 1), type: "word", source: WordList([:]))
            if isListFirst { coordinator.add(list) }
            coordinator.add(ResourceFilter("words:*"))
            coordinator.add(list)
        }
        // Beside others, and in place of itself, it may be added.
        await #expect(processExitsWith: .success) {
            let coordinator = try CoordinatorFixture().coordinator()
            let list = PagedList(ResourceKey("words", 1), type: "word", source: WordList([:]))
            coordinator.add(list)
            coordinator.add(ResourceFilter("words:2"))
            coordinator.add(list, priority: .low)
            exit(EXIT_SUCCESS)
        }
    }

    @Test func `are tried again after a failure, and report why they wait`() async throws {
        let fixture = try CoordinatorFixture()
        let source = WordList([1: "one"])
        source.set(nil)
        let coordinator = try fixture.coordinator()
        coordinator.add(PagedList(resource, type: "word", source: source))
        try await fixture.running(coordinator) {
            let waiting = try await coordinator.status { status in
                if case .waiting(for: .retry) = status.filters[0].activity { true } else { false }
            }
            #expect(waiting.filters[0].lastError != nil && waiting.filters[0].readiness?.isComplete != true)
            source.set([1: "one"])
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(1))
            _ = try await coordinator.waitUntilReady(ResourceFilter("words:1"))
            let idle = try await coordinator.status { $0.filters[0].activity == .idle }
            #expect(idle.filters[0].lastError == nil)
        }
    }

    @Test func `can be requested by hand, and report their own failure`() async throws {
        let fixture = try CoordinatorFixture()
        let source = WordList([1: "one", 2: "two"])
        let coordinator = try fixture.coordinator()
        coordinator.add(PagedList(resource, type: "word", source: source))
        try await fixture.running(coordinator) {
            _ = try await coordinator.waitUntilReady(ResourceFilter("words:1"))
            try await coordinator.status { $0.filters[0].activity == .idle }
            #expect(try await coordinator.sync(ResourceFilter("words:1")).rowsChanged == 0)
            source.set(nil)
            let error = await #expect(throws: SyncError.self) { try await coordinator.sync(ResourceFilter("words:1")) }
            guard case .list(.source)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `are walked by hand while the coordinator does not run, and never as a filter`() async throws {
        let fixture = try CoordinatorFixture()
        let source = WordList([1: "one", 2: "two"])
        let coordinator = try fixture.coordinator()
        coordinator.add(PagedList(resource, type: "word", source: source))
        #expect(try await coordinator.sync(ResourceFilter("words:1")).rowsChanged == 2)
        #expect(try words(fixture) == ["\"one\"", "\"two\""])
        #expect(try fixture.store.read { view in try view.filters() }.isEmpty)
    }
}
