internal import LarderEngine
package import LarderFormat
internal import Synchronization

/// A version of the outbox: content read at a version is up to date as long as no commit has changed an entry since.
///
/// A version is in memory only, and of one open file.
package struct OutboxVersion: Hashable, Sendable {
    /// The last commit that it includes.
    let commit: UInt64
    /// The number of changes of that commit it includes; later ones were made by other writes of the same commit.
    let changes: Int
}

/// The entries that changed between two versions of the outbox, without body and header fields.
package struct OutboxUpdate: Sendable {
    /// The changed entries that are in the outbox and can be read.
    package let entries: [OutboxEntry]
    /// The identities of all changed entries, removed ones included; nil when any entry may have changed.
    package let changed: Set<UUIDBytes>?
    /// The number of heads that could not be read; 0 when only changed entries were read.
    package let damaged: Int
}

extension Transaction {
    /// The version that this transaction shows now, its own changes included.
    package var outboxVersion: OutboxVersion {
        OutboxVersion(commit: commit, changes: state(OutboxChanges.self).entries.count)
    }

    /// Returns the changes since a version; all entries when it is nil or the changes since are unknown, as after a
    /// commit of another process.
    ///
    /// - Throws: ``EngineError``.
    /// - Complexity: reads each changed entry, or every entry when the changes are unknown.
    package borrowing func outboxUpdate(since version: OutboxVersion?) throws -> OutboxUpdate {
        let log = shared.part(OutboxChangeLog.self)
        guard let version, var changed = log.changed(since: version, upTo: commit - 1) else {
            return try tables.outboxUpdate(of: nil, in: engine)
        }
        let own = state(OutboxChanges.self).entries
        changed.formUnion(version.commit == commit ? own.dropFirst(version.changes) : own[...])
        return try tables.outboxUpdate(of: changed, in: engine)
    }

    /// Records that an entry was added, changed or removed.
    mutating func markEntryChanged(_ id: UUIDBytes, lane: String) {
        effects.changes.addLane(lane)
        state(OutboxChanges.self).entries.append(id)
    }
}

extension ReadView {
    /// Returns whether the outbox may have changed since a version.
    package borrowing func isOutboxChanged(since version: OutboxVersion) -> Bool {
        shared.part(OutboxChangeLog.self).changed(since: version, upTo: commit)?.isEmpty != true
    }

    /// Returns the changes since a version; all entries when the changes since are unknown, as after a commit of another
    /// process.
    ///
    /// - Throws: ``EngineError``.
    /// - Complexity: reads each changed entry, or every entry when the changes are unknown.
    package borrowing func outboxUpdate(since version: OutboxVersion) throws -> OutboxUpdate {
        let changed = shared.part(OutboxChangeLog.self).changed(since: version, upTo: commit)
        return try tables.outboxUpdate(of: changed, in: transaction)
    }
}

extension Tables {
    /// Returns the readable ones of these entries; all when it is nil.
    fileprivate func outboxUpdate(of changed: Set<UUIDBytes>?, in source: ReadTransaction) throws -> OutboxUpdate {
        guard let changed else {
            let (entries, damaged) = try readableHeads(in: source)
            return OutboxUpdate(entries: entries, changed: nil, damaged: damaged)
        }
        let entries = try changed.compactMap { id in
            do {
                return try head(id, in: source)
            } catch StoreError.damaged {
                return nil
            }
        }
        return OutboxUpdate(entries: entries, changed: changed, damaged: 0)
    }
}

/// The entries that one transaction has changed, in the order of the changes.
private final class OutboxChanges: CommitState {
    var entries: [UUIDBytes] = []

    init(_ shared: SharedState) {}
}

/// The entries of the outbox that the last commits of this process have changed.
///
/// A commit whose number is missing was made by another process, or was dropped from the log. For a version before such
/// a commit the whole outbox has to be read.
final class OutboxChangeLog: CommitParticipant {
    private struct Log {
        /// The commits whose changes are all known; none before the first.
        var known: Range<UInt64> = 0..<0
        /// The known commits that changed entries, the oldest first.
        var commits: [(number: UInt64, entries: [UUIDBytes])] = []
        var count = 0
    }

    /// The most changes that are kept.
    static let limit = 16_384
    private let log = Mutex(Log())

    init(_ file: FileContext) {}

    func didCommit(_ effects: CommitEffects, in shared: SharedState) {
        guard let commit = effects.commit else { return }
        append(effects.states.existing(OutboxChanges.self)?.entries ?? [], in: commit)
    }

    /// Records the entries that a commit has changed.
    func append(_ entries: [UUIDBytes], in commit: UInt64) {
        log.withLock { log in
            if log.known.upperBound != commit { log = Log(known: commit..<commit) }
            log.known = log.known.lowerBound..<(commit + 1)
            if entries.isEmpty { return }
            log.commits.append((commit, entries))
            log.count += entries.count
            while log.count > Self.limit {
                let oldest = log.commits.removeFirst()
                log.count -= oldest.entries.count
                log.known = (oldest.number + 1)..<log.known.upperBound
            }
        }
    }

    /// Returns the entries that were changed after a version, up to a commit; nil when that is unknown.
    func changed(since version: OutboxVersion, upTo commit: UInt64) -> Set<UUIDBytes>? {
        log.withLock { log in
            let isPart = version.changes < .max && version.commit <= commit
            let first = isPart ? version.commit : version.commit + 1
            if first > commit { return [] }
            guard log.known.contains(first), log.known.contains(commit) else { return nil }
            var changed: Set<UUIDBytes> = []
            for (number, entries) in log.commits.reversed().prefix(while: { $0.number >= first })
            where number <= commit {
                changed.formUnion(entries.dropFirst(number == version.commit ? version.changes : 0))
            }
            return changed
        }
    }
}
