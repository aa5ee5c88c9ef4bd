// Simulator+Space: evicts resources, pins them and opens evicted ones.

internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync

// A host that drops rows, keeps resources offline, and opens what it has dropped.
extension Simulator {
    /// Drops the rows of a resource.
    func evict(_ resource: ResourceKey) throws {
        guard let store, !isStopping else { return }
        // Each commit is looked at by itself.
        while try commitNext() {}
        let isEvicted = try working {
            try store.writeBlocking(durability: .relaxed) { transaction in try transaction.evict(resource) }
        }
        try checkStore(evicted: isEvicted ? resource : nil)
    }

    /// Keeps a resource offline; what was evicted is fetched again.
    func keep(_ resource: ResourceKey) {
        guard let process, !isStopping else { return }
        process.call { [coordinator = process.coordinator] in try? await coordinator.keep(resource) }
    }

    /// Opens what was evicted until it is there.
    func openEvicted(until limit: Int64) throws {
        while true {
            let state = checker.state
            let evicted = state.resources.values.filter { $0.state == .evicted && state.isMember($0.key) }
                .map(\.key).sorted()
            guard let first = evicted.first else { return }
            if now >= limit { throw Violation(.convergence, "\(first) is opened and does not come back") }
            for resource in evicted { trigger(.opened(resource)) }
            let end = now + 60_000
            while let next = nextTime, next <= end { try step() }
            now = end
        }
    }
}
