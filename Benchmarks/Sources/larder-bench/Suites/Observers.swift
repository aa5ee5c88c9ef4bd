// Observers: commits beside observers of other rows.

import LarderFormat
import LarderStore
import Synchronization

/// Commits beside observers of other rows.
enum Observers {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let directory = try ScratchDirectory()
        let observed = try openStore(at: directory.path("observed"))
        let plain = try openStore(at: directory.path("plain"))
        let observers = ObserverCount()
        let tasks = (1...1_000).map { number in
            let changes = observed.changes(in: .resource(ResourceKey("others", Int64(number))))
            return Task { for await _ in changes { observers.notify() } }
        }
        let commits = isQuick ? 10 : 50
        let measurement = try await Measurement.compare(
            "observe", "commit, 1,000 observers of other things", unit: "ms", rounds: isQuick ? 5 : 9,
            [
                Contender(name: "Larder") { try await commit(observed, commits) },
                Contender(name: "no observers") { try await commit(plain, commits) },
            ])
        try expect(observers.notified, 0, "observers of other things that were notified")
        try await write(observed, ResourceKey("others", 1), "1")
        // The only one that the commit concerns is notified, so the others observe too.
        while observers.notified == 0 { await Task.yield() }
        try observed.close()
        try plain.close()
        for task in tasks { await task.value }
        try expect(observers.notified, 1, "observers that were notified")
        return [measurement]
    }

    private static func commit(_ store: Store, _ commits: Int) async throws -> Double {
        try await timedAsync(commits) {
            for commit in 0..<commits { try await write(store, ResourceKey("notes", 1), String(commit)) }
        } / 1e6
    }

    private static func write(_ store: Store, _ resource: ResourceKey, _ key: String) async throws {
        let key = RowKey(resource: resource, type: "note", key: key)
        try await store.write { try $0.put(Array("{\"text\":\"note\"}".utf8), at: key, updatedAt: 0) }
    }
}

/// How often observers were notified.
private final class ObserverCount: Sendable {
    private let count = Atomic(0)

    var notified: Int { count.load(ordering: .acquiring) }

    func notify() { count.add(1, ordering: .acquiringAndReleasing) }
}
