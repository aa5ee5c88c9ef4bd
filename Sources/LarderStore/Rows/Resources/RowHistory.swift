package import LarderFormat
internal import Synchronization

/// The rows that the latest commits of this process have changed one by one; in memory, and bounded.
///
/// Each step leads from the digest of a generation's rows to the digest after the commit. Where each step begins with
/// the digest that the last one ended with, no other row changed; another process's commit breaks that chain.
final class RowHistory: CommitParticipant {
    /// The most rows that are remembered.
    static let limit = 4096

    /// The changes of one commit to the rows of a generation.
    struct Step: Sendable {
        let generation: Int64
        /// The digest of the rows before.
        let from: UInt64
        /// The digest of the rows after the commit.
        private(set) var to: UInt64
        /// The rows that were changed, one more than ``RowHistory/limit`` at most.
        private(set) var keys: [RowKey] = []

        init(generation: Int64, from: UInt64) {
            self.generation = generation
            self.from = from
            to = from
        }

        /// Records the change of a row, after which the rows have this digest.
        mutating func append(_ key: RowKey, digest: UInt64) {
            to = digest
            if keys.count <= RowHistory.limit { keys.append(key) }
        }
    }

    /// The steps, the latest last.
    private let steps = Mutex<[Step]>([])

    init(_ file: FileContext) {}

    func didCommit(_ effects: CommitEffects, in shared: SharedState) {
        guard let newSteps = effects.states.existing(RowTallies.self)?.steps, !newSteps.isEmpty else { return }
        steps.withLock { steps in
            steps += newSteps
            var count = steps.reduce(0) { $0 + $1.keys.count }
            let surplus = steps.prefix { step in
                if count <= Self.limit { return false }
                count -= step.keys.count
                return true
            }
            steps.removeFirst(surplus.count)
        }
    }

    /// The rows whose changes made the rows of one digest those of the other; nil where these are unknown.
    func keys(in generation: Int64, from: UInt64, to: UInt64) -> [RowKey]? {
        steps.withLock { steps in
            var keys: [RowKey] = []
            var digest = to
            for step in steps.reversed() where step.generation == generation && step.to == digest {
                keys += step.keys
                digest = step.from
                if digest == from { return keys }
            }
            return nil
        }
    }
}

extension Store {
    /// The rows that were changed while the digest of a generation's rows became another one, each at least once.
    ///
    /// - Returns: nil where other processes have changed rows of the generation meanwhile, the change was made before
    ///   the store was opened, or more than 4096 rows were changed since.
    /// - Complexity: O(commits remembered), without reading the store.
    package func rowsChanged(in generation: Int64, from: UInt64, to: UInt64) -> [RowKey]? {
        shared.part(RowHistory.self).keys(in: generation, from: from, to: to)
    }
}
