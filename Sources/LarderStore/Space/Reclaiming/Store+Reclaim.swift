internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// Removes all garbage (generations, blobs that nobody holds, indexes that were given up) in short commits that let
    /// other writes go first.
    ///
    /// Happens by itself after a swap, a withdrawal or a removal; this waits for it. What is damaged stays, and is found by
    /// ``verify(progress:_:)``.
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

    /// Has all garbage removed, which the process that was to do so may have left.
    ///
    /// What cannot be recovered does not keep the store from opening: it is never visible, and a later open tries again.
    ///
    /// - Parameter look: who had the store open, and what was begun before: only when nobody else had, staged snapshots of
    ///   that time are the remains of a killed process. Bodies are, too, when no process reads or writes any.
    /// - Complexity: a few lookups, and those of what was left.
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
            // Another process may have opened the store since, and what it begins has a higher number.
            copies.removeAll { $0 >= counters.nextGeneration }
            bodies.removeAll { $0 >= counters.nextBlob }
        } else {
            copies = []
            // Asked behind the look: what is written from now on is none of these.
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
