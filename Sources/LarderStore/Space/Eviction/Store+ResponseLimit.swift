internal import LarderEngine
package import LarderFormat
internal import Logging
internal import Synchronization

/// A limit on the bytes of responses and their bodies, whatever else is stored.
///
/// Counts the bytes written, and has the responses measured when so many were written that the limit may be exceeded:
/// the first time at once. The responses use at most the limit and a sixteenth of it, once the work after a write is
/// done and where no other process writes to the store.
package final class ResponseLimit: Sendable {
    /// The most bytes of keys and values.
    package let bytes: Int64
    /// The bytes that may be written before the responses are measured.
    private let remaining = Mutex<Int64>(0)

    /// A limit of so many bytes, above zero.
    package init(bytes: Int64) {
        precondition(bytes > 0, "a limit of \(bytes) bytes")
        self.bytes = bytes
    }

    /// Records that a response was written; returns whether it is time to measure.
    fileprivate func isDue(_ record: ResponseRecord) -> Bool {
        remaining.withLock { left in
            left = left.subtractingReportingOverflow(record.storedBytes).partialValue
            if left >= 0 { return false }
            // The measurement that begins now covers what is written until it ends.
            left = bytes / 16
            return true
        }
    }

    /// Records the size of the responses.
    fileprivate func setSize(_ size: Int64) {
        // Responses that may not be evicted must not cause a measurement at each write.
        remaining.withLock { $0 = max(bytes - size, bytes / 16) }
    }
}

extension Store {
    /// The number of responses removed in one commit.
    private static let evictionBatch = 128

    /// Has responses evicted when they exceed a limit, now that one was written; returns at once.
    ///
    /// Pinned responses stay; ``EvictionRule`` decides which of the others are evicted first. No write is refused for
    /// lack of space.
    package func enforce(_ limit: ResponseLimit, after record: ResponseRecord) {
        guard !isReadOnly, limit.isDue(record) else { return }
        Task(priority: .utility) {
            do {
                limit.setSize(try await evictResponses(downTo: limit.bytes))
            } catch {
                // The next measurement is due a sixteenth of the limit later, in the next process at once.
                host.logger.notice("could not bring responses down to their limit", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Evicts responses that exceed a limit, in commits of bounded size that let other writes go first.
    ///
    /// - Returns: the size of the remaining responses, in bytes.
    private func evictResponses(downTo limit: Int64) async throws -> Int64 {
        var (used, excess) = try read { view in
            try view.tables.excess(of: limit, in: view.transaction, shared)
        }
        while !excess.isEmpty {
            let batch = Array(excess.prefix(Self.evictionBatch))
            excess.removeFirst(batch.count)
            used -= try await writeBulk { transaction in try transaction.evict(batch) }
        }
        return used
    }
}

extension Tables {
    /// The size of the responses and, where it exceeds `limit`, those to evict so that at most fifteen sixteenths of
    /// `limit` are left.
    ///
    /// - Complexity: reads every record of a response, and no body.
    fileprivate func excess(
        of limit: Int64, in source: ReadTransaction, _ shared: SharedState
    ) throws -> (used: Int64, excess: [EvictionCandidate]) {
        var used: Int64 = 0
        var candidates: [EvictionCandidate] = []
        let now = shared.budget.now()
        try forEachResponse(from: ResponseKey.responses, in: source) { place, record in
            guard let record else { return true }
            used.addClamped(record.storedBytes)
            if !record.isPinned { candidates.append(EvictionCandidate(record, at: place, shared, now: now)) }
            return true
        }
        guard used > limit else { return (used, []) }
        let wanted = used - (limit - limit / 16)
        let rule = EvictionRule(wanted: wanted)
        candidates.sort { rule.prefers($0.item, to: $1.item) }
        var bytes: Int64 = 0
        let count = candidates.firstIndex { candidate in
            if bytes >= wanted { return true }
            bytes.addClamped(candidate.item.bytes)
            return false
        }
        return (used, Array(candidates.prefix(count ?? candidates.count)))
    }
}

extension Transaction {
    /// Removes responses that were not replaced meanwhile, and journals the eviction.
    ///
    /// - Returns: the approximate bytes that they used.
    fileprivate mutating func evict(_ candidates: [EvictionCandidate]) throws -> Int64 {
        var (count, bytes) = (0, Int64(0))
        for case (.response(let place, let blob), let item) in candidates.map({ ($0.subject, $0.item) }) {
            guard try tables.response(at: place, in: engine)?.blob == blob, try removeResponse(at: place) else {
                continue
            }
            count += 1
            bytes.addClamped(item.bytes)
        }
        if count == 0 { return 0 }
        try journalEviction(Eviction(.responses(count), bytes: bytes, reason: .cap, time: budget.now()))
        return bytes
    }
}
