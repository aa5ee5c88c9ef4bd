package import LarderFormat
internal import Synchronization

/// Rows of lists of which so many were missing on the server at once that a later pass decides; kept while the store is open.
final class ListDoubts: Sendable {
    private struct List: Hashable {
        let resource: ResourceKey
        let type: String
    }

    private struct Doubt {
        /// The hashes of the keys.
        var keys: Set<UInt64>
        /// When they were missing for the first time, by the host's elapsed time.
        let since: Duration
    }

    private let doubts = Mutex<[List: Doubt]>([:])

    func forget(_ resource: ResourceKey, _ type: String) {
        doubts.withLock { $0[List(resource: resource, type: type)] = nil }
    }

    func remove(_ keys: [UInt64], of resource: ResourceKey, _ type: String) {
        doubts.withLock { doubts in
            let list = List(resource: resource, type: type)
            guard doubts[list] != nil else { return }
            doubts[list]?.keys.subtract(keys)
            if doubts[list]?.keys.isEmpty == true { doubts[list] = nil }
        }
    }

    func confirm(
        _ resource: ResourceKey, _ type: String, _ missing: [UInt64], at now: Duration, pause: Duration
    ) -> [UInt64] {
        doubts.withLock { doubts in
            let list = List(resource: resource, type: type)
            if let doubt = doubts[list] {
                let known = missing.filter { doubt.keys.contains($0) }
                if now - doubt.since < pause, known.count == missing.count {
                    return []
                }
                if now - doubt.since >= pause, !known.isEmpty {
                    let rest = Set(missing).subtracting(known)
                    doubts[list] = rest.isEmpty ? nil : Doubt(keys: rest, since: now)
                    return known
                }
            }
            doubts[list] = Doubt(keys: Set(missing), since: now)
            return []
        }
    }
}

extension Store {
    /// Forgets which rows of a list were missing in a pass that could not believe it.
    package func forgetDoubt(over resource: ResourceKey, type: String) {
        shared.room.doubts.forget(resource, type)
    }

    /// Notes that keys of a list, by their hashes, were in an answer: none of them is in doubt.
    package func removeDoubt(of keys: [UInt64], over resource: ResourceKey, type: String) {
        shared.room.doubts.remove(keys, of: resource, type)
    }

    /// Notes that rows of a list are missing on the server, suspiciously many of them.
    ///
    /// - Parameters:
    ///   - missing: the hashes of their keys.
    ///   - pause: how long ago they must have been missing in another pass.
    /// - Returns: those that were; the others are in doubt until a later call.
    package func confirmDoubt(
        over resource: ResourceKey, type: String, _ missing: [UInt64], pause: Duration
    ) -> [UInt64] {
        shared.room.doubts.confirm(resource, type, missing, at: host.elapsed(), pause: pause)
    }
}
