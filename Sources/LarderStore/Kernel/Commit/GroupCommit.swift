internal import LarderEngine
internal import Synchronization

/// Gathers the writes that wait and commits them together.
///
/// A body that throws before its first change costs the others nothing. One that throws after a change spoils the
/// shared transaction: it is undone, and the others run again, once together and then each alone.
final class GroupCommit: Sendable {
    /// The most writes in one commit.
    private static let limit = 256

    private let waiting = Mutex<[PendingWrite]>([])

    /// Runs a write in one of the next commits and returns when that commit has succeeded.
    func run(_ write: PendingWrite, in shared: SharedState) async throws {
        try Task.checkCancellation()
        let isFirst = waiting.withLock { waiting in
            waiting.append(write)
            return waiting.count == 1
        }
        if isFirst {
            do throws(EngineError) {
                try shared.environment.onWriter { self.drain(shared) }
            } catch {
                for write in waiting.withLock({ Self.popAll(&$0) }) { write.finish(.failure(error)) }
            }
        }
        try await write.outcome()
    }

    private static func popAll(_ waiting: inout [PendingWrite]) -> [PendingWrite] {
        defer { waiting.removeAll() }
        return waiting
    }

    /// Commits all waiting writes; called on the writer thread.
    private func drain(_ shared: SharedState) {
        let writes = waiting.withLock { Self.popAll(&$0) }.filter { $0.begin() }
        var start = 0
        while start < writes.count {
            let end = min(start + Self.limit, writes.count)
            commit(Array(writes[start..<end]), shared)
            start = end
        }
    }

    private func commit(_ writes: [PendingWrite], _ shared: SharedState) {
        guard let failed = commitTogether(writes, shared) else { return }
        let others = writes.filter { $0 !== failed }
        guard let failedNext = commitTogether(others, shared) else { return }
        for write in others where write !== failedNext { _ = commitTogether([write], shared) }
    }

    /// Commits the writes in one transaction and ends each with its outcome.
    ///
    /// - Returns: the write that spoiled the transaction, ended with its error; the others have not ended then.
    private func commitTogether(_ writes: [PendingWrite], _ shared: SharedState) -> PendingWrite? {
        if writes.isEmpty { return nil }
        let durability: Durability = writes.contains { $0.durability == .full } ? .full : .relaxed
        do {
            let outcomes = try shared.transact(durability: durability) { try Self.runAll(writes, &$0) }
            for (write, outcome) in zip(writes, outcomes) { write.finish(outcome) }
            return nil
        } catch let failure as PartialWriteError {
            failure.write.finish(.failure(failure.error))
            return failure.write
        } catch let error as EngineError where writes.count > 1 && error.mayBeCausedByOneWrite(shared) {
            // Perhaps only one of the writes does not fit, or has met a page that is damaged or cannot be read. The
            // others may succeed alone, above all those that free space.
            for write in writes { _ = commitTogether([write], shared) }
            return nil
        } catch StoreError.full where writes.count > 1 {
            // Perhaps only one of the writes does not fit, as above.
            for write in writes { _ = commitTogether([write], shared) }
            return nil
        } catch {
            for write in writes { write.finish(.failure(error)) }
            return nil
        }
    }

    private static func runAll(
        _ writes: [PendingWrite], _ transaction: inout Transaction
    ) throws -> [Result<Void, any Error>] {
        var outcomes: [Result<Void, any Error>] = []
        for write in writes {
            let before = (transaction.mutationCount, transaction.counters)
            do {
                try write.run(&transaction)
                outcomes.append(.success(()))
            } catch {
                if transaction.mutationCount != before.0 { throw PartialWriteError(write: write, error: error) }
                // Numbers that it has used change nothing but the counters.
                transaction.counters = before.1
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }
}

/// The failure of a write that had changed something.
private struct PartialWriteError: Error {
    let write: PendingWrite
    let error: any Error
}

extension EngineError {
    /// Whether a transaction with fewer writes might have succeeded.
    fileprivate func mayBeCausedByOneWrite(_ shared: SharedState) -> Bool {
        switch self {
        case .mapFull, .transactionFull, .corrupted, .damagedPage: true
        case .ioFailure: !shared.environment.isStopped
        default: false
        }
    }
}
