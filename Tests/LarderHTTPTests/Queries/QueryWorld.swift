// QueryWorld: a query cache over a virtual clock, a network that can be switched, and a server that counts.

import Foundation
import LarderHTTP
import LarderStore
import LarderTesting
import Synchronization

/// A query cache over a virtual clock, a network that can be switched, and a server that counts.
final class QueryWorld: Sendable {
    struct Outage: Error {}

    let clock = VirtualClock()
    let online = Mutex(true)
    let enabled = Mutex(true)
    let isFailing = Mutex(false)
    let fetches = Atomic(0)
    let path = FileManager.default.temporaryDirectory.path + "/larder-queries-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func cache(_ persistence: QueryCache.Persistence? = nil) -> QueryCache {
        QueryCache(
            host: .virtual(clock), isOnline: { [self] in online.withLock { $0 } }, persistence: persistence)
    }

    func openStore(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(at: path, options: options, host: .virtual(clock))
    }

    func options(_ mode: KeyedQueryOptions.Mode = .offlineFirst) -> KeyedQueryOptions {
        KeyedQueryOptions(mode: mode, isEnabled: { [self] in enabled.withLock { $0 } })
    }

    /// The server's answer: how often it was asked.
    func answer() throws -> Int {
        let number = fetches.add(1, ordering: .relaxed).newValue
        if isFailing.withLock({ $0 }) { throw Outage() }
        return number
    }

    var count: Int { fetches.load(ordering: .relaxed) }

    func fetch(_ cache: QueryCache, _ key: QueryKey = ["outlets"], _ options: KeyedQueryOptions? = nil) async throws
        -> Queried<Int>
    {
        try await cache.value(for: key, options: options ?? self.options()) { [self] in try answer() }
    }
}
