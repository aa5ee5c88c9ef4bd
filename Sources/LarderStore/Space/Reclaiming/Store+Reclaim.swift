internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// Removes all garbage (generations, blobs that are not held, discarded indexes) in short commits that let other
    /// writes go first.
    ///
    /// The store does so by itself after a swap, a withdrawal or a removal; this function returns when it is done.
    /// Damaged ranges stay, and ``verify(progress:_:)`` reports them.
    ///
    /// - Throws: `CancellationError` between two commits; ``EngineError``.
    public func reclaim() async throws {
        if isReadOnly { return }
        var start = GarbageKey.removable
        var isMore = true
        while isMore {
            try Task.checkCancellation()
            (start, isMore) = try await bulk { [start] transaction in
                var place = start
                let isMore = try transaction.reclaimSome(from: &place, isTimeUp: self.shared.deadline())
                return (place, isMore)
            }
        }
    }

    /// Discards the remains of killed processes, and has all garbage removed, which such a process may have left.
    ///
    /// A failed recovery does not keep the store from opening: the remains are never visible, and a later open tries
    /// again.
    ///
    /// - Parameter look: the state of the file at the open. Staged snapshots of that time are the remains of a killed
    ///   process only when no other process had the store open. Bodies are, too, when no process reads or writes any.
    /// - Complexity: a few lookups, and those of the remains.
    func recover(from look: OpeningLook) {
        do {
            if look.hasLostGarbage { try writeBlocking { transaction in try transaction.enterLostGarbage(look) } }
            try discardStaged(look)
            if try read({ view in try view.hasGarbage() }) { shared.reclaimer.wake(in: shared) }
        } catch {
            host.logger.warning("could not discard unfinished full copies", metadata: ["error": "\(error)"])
        }
    }

    private func discardStaged(_ look: OpeningLook) throws {
        var (copies, bodies) = try read { view in
            (
                try view.tables.garbage(.stagedGeneration, in: view.transaction),
                try view.tables.garbage(.stagedBlob, in: view.transaction)
            )
        }
        if look.isAlone, let counters = look.counters {
            // Another process may have opened the store since, and everything it begins has a higher number.
            copies.removeAll { $0 >= counters.nextGeneration }
            bodies.removeAll { $0 >= counters.nextBlob }
        } else {
            copies = []
            // The lock is checked after the view was read: nothing that is written from now on is among these.
            if try !bodies.isEmpty && !shared.leases.isFree() { bodies = [] }
        }
        if bodies.isEmpty && copies.isEmpty { return }
        try writeBlocking { [copies, bodies] transaction in
            for number in copies { try transaction.recoverStaging(number) }
            for number in bodies { try transaction.discardStagedBlob(number) }
        }
        host.logger.info(
            "discarded what was unfinished", metadata: ["copies": "\(copies.count)", "bodies": "\(bodies.count)"])
    }
}

extension ReadView {
    /// Whether anything waits to be removed.
    borrowing func hasGarbage() throws -> Bool {
        try tables.nextGarbage(from: GarbageKey.removable, in: transaction) != nil
    }
}
