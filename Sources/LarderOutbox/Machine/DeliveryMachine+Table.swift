package import LarderFormat
internal import LarderStore
package import LarderTransport

/// The changes of the table that a machine may not know.
package struct TableChanges: Hashable, Sendable {
    /// The entries that were read, rejected ones included.
    package var entries: [LaneEntry]
    /// The identities of all entries that have changed, removed ones included; nil: any may have.
    package var changed: Set<UUIDBytes>?
    /// The rest of the server's wait (Retry-After); nil where it was not read.
    package var serverWait: Duration?

    /// Changes of these entries.
    package init(_ entries: [LaneEntry], changed: Set<UUIDBytes>?, serverWait: Duration? = nil) {
        self.entries = entries
        self.changed = changed
        self.serverWait = serverWait
    }
}

// The machine knows what the table holds: it reads the table in the transaction that stores the changes of a step.
extension DeliveryMachine {
    /// Replaces the machine's entries by those of the table; the changes and effects that follow are in the next step.
    package mutating func applyTableChanges(_ changes: TableChanges, at reading: ClockReading) {
        restoreServerWait(changes.serverWait, reading)
        if changes.changed == [] { return }
        rejected = changes.changed.map { rejected.subtracting($0) } ?? []
        var found: [UUIDBytes: LaneEntry] = [:]
        for entry in changes.entries {
            if entry.delivery.state == .rejected { rejected.insert(entry.id) } else { found[entry.id] = entry }
        }
        var known: [UUIDBytes: Duration] = [:]
        var broken: Set<UUIDBytes> = []
        var fresh: Set<UUIDBytes> = []
        func replacement(of old: LaneEntry) -> LaneEntry? {
            guard var new = found.removeValue(forKey: old.id) else {
                if old.delivery.state != .sending, let batch = old.delivery.batch { broken.insert(batch) }
                return nil
            }
            (new.due, new.notBefore, new.firstTried) = (old.due, old.notBefore, old.firstTried)
            if new.delivery == old.delivery { return new }
            known[old.id] = old.firstTried
            fresh.insert(old.id)
            return new
        }
        entries.replace(changes.changed, by: replacement) {
            fresh.formUnion(found.keys)
            return Array(found.values)
        }
        for index in entries.indices where fresh.contains(entries[index].id) { restore(index, known, reading) }
        for index in entries.touched where entries[index].delivery.state != .sending {
            if let batch = entries[index].delivery.batch, broken.contains(batch) {
                removeFromBatch(index, isExclusive: true)
            }
        }
        let sent = Set(entries.touched.map { entries[$0] }.filter { $0.delivery.state == .sending }.map(\.tryKey))
        for key in activeTries.subtracting(sent).inOrder { step.effects.append(.cancel(key)) }
        recover(reading)
    }

    /// Derives the times of an entry from its stored delivery.
    private mutating func restore(_ index: Int, _ known: [UUIDBytes: Duration], _ reading: ClockReading) {
        (entries[index].due, entries[index].notBefore) = (nil, nil)
        restoreAge(index, known, reading)
        // Otherwise a host of short runs would form a batch at each start, and leave its members unresolved each time.
        hasUnreadableBatch = hasUnreadableBatch || Self.isFromUnreadableBatch(entries[index].delivery)
        switch entries[index].delivery.state {
        case .waiting: restoreWait(index, reading)
        case .failed: restoreRevival(index, reading)
        case .conflicted: step.effects.append(.resolve(entries[index].id))
        case .pending, .sending, .unresolved, .rejected: break
        }
    }

    private mutating func restoreWait(_ index: Int, _ reading: ClockReading) {
        let delivery = entries[index].delivery
        let dueAt = delivery.dueAt ?? reading.now
        let rest = reading.wait(until: dueAt)
        // A clock that was moved back does not say how much has passed. If the entry waited anew at each start, a host
        // that only drains would never send.
        let isUndated = delivery.lastTriedAt.map { $0 > reading.now } ?? false
        let wait = isUndated ? .zero : min(rest, max(policy.retry.limit, policy.longestRetryAfter))
        entries[index].due = reading.elapsed + wait
        // Only a server requests a wait that long.
        entries[index].notBefore = wait > policy.retry.limit ? entries[index].due : nil
    }

    /// Makes entries wait whose send was under way when a process died: the server may have them.
    private mutating func recover(_ reading: ClockReading) {
        for index in entries.touched where isOwner && entries[index].delivery.state == .sending {
            if activeTries.contains(entries[index].tryKey) { continue }
            update(index) {
                $0.state = .waiting
                $0.isInDoubt = true
                $0.dueAt = reading.now
            }
            entries[index].due = reading.elapsed
        }
        markUndatedUnresolved()
        rejectDependentsOfRejected()
    }

    /// Rejects the entries that come after a rejected one, whichever process or command rejected that one.
    private mutating func rejectDependentsOfRejected() {
        while !rejected.isEmpty, entries.hasDependents,
            let index = entries.firstIndex(where: { entry in
                entry.delivery.state != .sending && entry.after.contains(where: rejected.contains)
            }),
            let cause = entries[index].after.first(where: rejected.contains)
        {
            dissolveBatch(of: index)
            reject(index, .after(cause))
        }
    }
}

extension LaneEntry {
    /// The key of the request that it is sent in.
    var tryKey: UUIDBytes { delivery.batch ?? id }
}

extension Set<UUIDBytes> {
    /// The elements in an order that does not depend on hashing.
    var inOrder: [UUIDBytes] { sorted { ($0.high, $0.low) < ($1.high, $1.low) } }
}
