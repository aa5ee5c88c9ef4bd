internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// Removes all garbage (generations, blobs that are not held, discarded indexes) in short commits that let other
    /// writes go first.
    ///
    /// The store does so by itself after a swap, a withdrawal or a removal; this function returns when it is done.
    /// Damaged ranges stay, and ``verify(_:progress:_:)`` reports them.
    ///
    /// - Throws: `CancellationError` between two commits; `EngineError`.
    public func reclaim() async throws {
        if isReadOnly { return }
        var start = GarbageKey.removable
        var isMore = true
        while isMore {
            try Task.checkCancellation()
            (start, isMore) = try await writeBulk { [start] transaction in
                var place = start
                let isMore = try transaction.reclaimSome(from: &place, isTimeUp: self.shared.deadline())
                return (place, isMore)
            }
        }
    }

    /// Discards the remains of killed processes, and has all garbage removed, which such a process may have left.
    ///
    /// A failed recovery does not keep the store from opening: the remains are never visible, and a later open tries
    /// again. Remains of openers with a lease are discarded in the background.
    ///
    /// - Parameter look: the state of the file at the open. Any staged snapshots of that time are the remains of a killed
    ///   process when no other process had the store open. Bodies are, too, when no process reads or writes any.
    /// - Complexity: a few lookups, and those of the remains.
    func recover(from look: OpeningState) {
        do {
            if look.hasLostGarbage { try writeBlocking { transaction in try transaction.addLostGarbage(look) } }
            try discardStaged(look)
            let isWanted = try !shared.otherWriters.isEmpty || read { view in try view.hasGarbage() }
            if isWanted { shared.reclaimer.start(in: shared) }
        } catch {
            host.logger.warning("could not discard unfinished snapshots", metadata: ["error": "\(error)"])
        }
    }

    private func discardStaged(_ look: OpeningState) throws {
        var (snapshots, bodies) = try read { view in
            (
                try view.tables.garbage(.stagedGeneration, in: view.transaction),
                try view.tables.garbage(.stagedBlob, in: view.transaction)
            )
        }
        if look.isExclusive, let counters = look.counters {
            // Another process may have opened the store since, and everything it begins has a higher number.
            snapshots.removeAll { $0 >= counters.nextGeneration }
            bodies.removeAll { $0 >= counters.nextBlob }
        } else {
            snapshots = []
            // The lock is checked after the view was read: nothing that is written from now on is among these.
            if try !bodies.isEmpty && !shared.leases.isFree() { bodies = [] }
        }
        if bodies.isEmpty && snapshots.isEmpty { return }
        try writeBlocking { [snapshots, bodies] transaction in
            for number in snapshots { try transaction.discardStaging(number) }
            for number in bodies { try transaction.discardStagedBlob(number) }
        }
        host.logger.info(
            "discarded unfinished snapshots and blobs",
            metadata: ["snapshots": "\(snapshots.count)", "blobs": "\(bodies.count)"])
    }
}

extension ReadView {
    /// Whether anything waits to be removed.
    borrowing func hasGarbage() throws -> Bool {
        try tables.nextGarbage(from: GarbageKey.removable, in: transaction) != nil
    }
}
