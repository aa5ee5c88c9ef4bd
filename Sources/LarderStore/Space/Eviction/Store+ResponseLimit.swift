internal import LarderEngine
package import LarderFormat
internal import Logging
internal import Synchronization

/// A limit of the bytes that responses and their bodies take, whatever else is stored.
///
/// Counts what is written, and has the responses measured when so much was written that they may be too many: the first time at once.
/// What they take is at most the limit and a sixteenth of it, once the work behind a write is done, where
/// no other process writes to the store.
package final class ResponseLimit: Sendable {
    /// The most bytes of keys and values.
    package let bytes: Int64
    /// How many bytes may be written before the responses are measured.
    private let left = Mutex<Int64>(0)

    /// A limit of so many bytes, above zero.
    package init(bytes: Int64) {
        precondition(bytes > 0, "a limit of \(bytes) bytes")
        self.bytes = bytes
    }

    /// Notes that a response was written; answers whether it is time to measure.
    fileprivate func isDue(_ record: ResponseRecord) -> Bool {
        left.withLock { left in
            left = left.subtractingReportingOverflow(record.storedBytes).partialValue
            if left >= 0 { return false }
            // The measuring that is begun now covers what is written until it ends.
            left = bytes / 16
            return true
        }
    }

    /// Notes what the responses take.
    fileprivate func note(_ taken: Int64) {
        // What may not go must not have all responses measured at each write.
        left.withLock { $0 = max(bytes - taken, bytes / 16) }
    }
}

extension Store {
    /// Responses removed in one commit.
    private static let evictionBatch = 128

    /// Has responses evicted when they take more than a limit, now that one was written; returns at once.
    ///
    /// Pinned ones stay. Which of the others go first is ``EvictionRule``'s to say. Nothing is refused for want of space.
    package func keep(_ limit: ResponseLimit, behind record: ResponseRecord) {
        guard !isReadOnly, limit.isDue(record) else { return }
        Task(priority: .utility) {
            do {
                limit.note(try await evictResponses(downTo: limit.bytes))
            } catch {
                // The next look is due a sixteenth of the limit later, in the next process at once.
                host.logger.notice("could not bring responses down to their limit", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Evicts responses that take more than a limit, in commits of bounded size that let other writes go first.
    ///
    /// - Returns: what the responses take then.
    private func evictResponses(downTo limit: Int64) async throws -> Int64 {
        var (taken, doomed) = try read { view in
            try view.tables.excess(of: limit, in: view.transaction, shared)
        }
        while !doomed.isEmpty {
            let batch = Array(doomed.prefix(Self.evictionBatch))
            doomed.removeFirst(batch.count)
            taken -= try await bulk { transaction in try transaction.evict(batch) }
        }
        return taken
    }
}

extension Tables {
    /// What responses take, and those that go so that at most fifteen sixteenths of `limit` are left, where they take
    /// more than that limit.
    ///
    /// - Complexity: reads every record of a response, and no body.
    fileprivate func excess(
        of limit: Int64, in source: ReadTransaction, _ shared: SharedState
    ) throws -> (taken: Int64, doomed: [EvictionCandidate]) {
        var taken: Int64 = 0
        var candidates: [EvictionCandidate] = []
        let now = shared.room.now()
        try forEachResponse(from: ResponseKey.responses, in: source) { place, record in
            guard let record else { return true }
            taken.addClamped(record.storedBytes)
            if !record.isPinned { candidates.append(EvictionCandidate(record, at: place, shared, now: now)) }
            return true
        }
        guard taken > limit else { return (taken, []) }
        let wanted = taken - (limit - limit / 16)
        let rule = EvictionRule(wanted: wanted)
        candidates.sort { rule.prefers($0.item, to: $1.item) }
        var bytes: Int64 = 0
        let count = candidates.firstIndex { candidate in
            if bytes >= wanted { return true }
            bytes.addClamped(candidate.item.bytes)
            return false
        }
        return (taken, Array(candidates.prefix(count ?? candidates.count)))
    }
}

extension Transaction {
    /// Removes responses that were not replaced meanwhile, and journals it.
    ///
    /// - Returns: about how many bytes they took.
    fileprivate mutating func evict(_ doomed: [EvictionCandidate]) throws -> Int64 {
        var (count, bytes) = (0, Int64(0))
        for case (.response(let place, let blob), let item) in doomed.map({ ($0.subject, $0.item) }) {
            guard try tables.response(at: place, in: engine)?.blob == blob, try removeResponse(at: place) else {
                continue
            }
            count += 1
            bytes.addClamped(item.bytes)
        }
        if count == 0 { return 0 }
        try note(Eviction(.responses(count), bytes: bytes, reason: .cap, time: room.now()))
        return bytes
    }
}
