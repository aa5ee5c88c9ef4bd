internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// Removes all garbage (generations, blobs that nobody holds, indexes that were given up) in short commits that let
    /// other writes go first.
    ///
    /// Happens by itself after a swap, a withdrawal or a removal; this waits for it.
    ///
    /// - Throws: `CancellationError` between two commits; ``EngineError``; ``StoreError/damaged(table:reason:)``.
    public func reclaim() async throws {
        if isReadOnly { return }
        while true {
            let garbage = try read { view in try view.tables.generations(in: .garbage, view.transaction) }
            if garbage.isEmpty { break }
            for (generation, _) in garbage {
                var isMore = true
                while isMore {
                    try Task.checkCancellation()
                    isMore = try await bulk { transaction in
                        try transaction.reclaimSome(of: generation, isTimeUp: self.shared.deadline())
                    }
                }
            }
        }
        try await reclaimBlobs()
        try await reclaimIndexes()
    }

    private func reclaimIndexes() async throws {
        for index in try read({ view in try view.indexes() }) where index.state == .removing {
            var isMore = true
            while isMore {
                try Task.checkCancellation()
                isMore = try await bulk { transaction in
                    try transaction.reclaimSome(ofIndex: index.number, isTimeUp: self.shared.deadline())
                }
            }
        }
    }

    private func reclaimBlobs() async throws {
        for blob in try read({ view in try view.tables.blobs(in: .garbage, view.transaction) }) {
            var isMore = true
            while isMore {
                try Task.checkCancellation()
                isMore = try await bulk { transaction in
                    guard self.shared.leases.condemn(blob) else { return false }
                    defer { self.shared.leases.absolve(blob) }
                    return try transaction.reclaimBlob(
                        blob, limit: Int64(BulkLimits.bytes), isTimeUp: self.shared.deadline()
                    ).isMore
                }
            }
        }
    }

    /// Has all garbage removed, which the process that was to do so may have left.
    ///
    /// What cannot be recovered does not keep the store from opening: it is never visible, and a later open tries again.
    ///
    /// - Parameter isAlone: whether no other process has the store open. Only then are staged snapshots the remains of
    ///   a killed process, and become garbage first. Bodies are, too, when no process reads or writes any.
    func recover(isAlone: Bool) {
        do {
            if isAlone { try discardStaged() }
            let garbage = try read { view in try view.tables.generations(in: .garbage, view.transaction) }
            let indexes = try read { view in try view.indexes() }.filter { $0.state == .removing }
            // What was staged a moment ago is given to the reclaimer twice; the second time does nothing.
            shared.reclaimer.add(garbage.map(\.number), indexes: indexes.map(\.number), in: shared)
            shared.reclaimer.add([], blobs: try leftBlobs(isAlone: isAlone), in: shared)
        } catch {
            host.logger.warning("could not discard unfinished full copies", metadata: ["error": "\(error)"])
        }
    }

    /// The garbage blobs, staged ones of killed processes among them; none while another process reads or writes any.
    private func leftBlobs(isAlone: Bool) throws -> [Int64] {
        let staged = try read { view in try view.tables.blobs(in: .staging, view.transaction) }
        let garbage = try read { view in try view.tables.blobs(in: .garbage, view.transaction) }
        if isAlone || (staged.isEmpty && garbage.isEmpty) { return garbage }
        // Asked behind the look: what is held or written from now on is none of these.
        guard try shared.leases.isFree() else { return [] }
        try discard(staged)
        return garbage
    }

    private func discardStaged() throws {
        let generations = try read { view in try view.tables.generations(in: .staging, view.transaction) }
        if !generations.isEmpty {
            try writeBlocking { transaction in
                for (number, record) in generations {
                    try transaction.recover(Staging(resource: record.owner, generation: number))
                }
            }
            host.logger.info("discarded unfinished full copies", metadata: ["count": "\(generations.count)"])
        }
        try discard(try read { view in try view.tables.blobs(in: .staging, view.transaction) })
    }

    /// Makes staged blobs garbage, which the reclaimer removes.
    private func discard(_ blobs: [Int64]) throws {
        if blobs.isEmpty { return }
        try writeBlocking { transaction in
            for blob in blobs { try transaction.discardStagedBlob(blob) }
        }
        host.logger.info("discarded unfinished bodies", metadata: ["count": "\(blobs.count)"])
    }
}

extension Transaction {
    /// Removes index entries, rows and single answers of a garbage generation until its time is up, and the generation with
    /// the last of them.
    ///
    /// - Parameter bytes: about how many bytes of keys and values to remove.
    /// - Returns: whether there is more to remove.
    mutating func reclaimSome(
        of number: Int64, bytes: Int64 = Int64(BulkLimits.bytes), isTimeUp: () -> Bool
    ) throws -> Bool {
        guard var record = try tables.generation(number, in: engine), record.state == .garbage else { return false }
        let owner = RowKeyCoding.prefix(generation: number)
        let entries = try removeSome(of: .indexes, prefix: owner, from: owner, bytes: bytes, isTimeUp: isTimeUp)
        if entries.isMore { return true }
        // The owner row, the prefix itself, stays until the last row is gone.
        let removed = try removeSome(
            of: .rows, prefix: owner, from: owner + [0], bytes: bytes - entries.bytes, isTimeUp: isTimeUp)
        let rest = bytes - entries.bytes - removed.bytes
        let isMore = try removed.isMore || reclaimSingleAnswers(of: record.owner, bytes: rest, isTimeUp: isTimeUp)
        if isMore {
            record.rowCount = max(0, record.rowCount - removed.count)
            record.byteCount = max(0, record.byteCount - removed.bytes)
            try putGeneration(number, record)
            return true
        }
        try remove(key: owner, in: .rows)
        try remove(
            key: Self.key { (key) throws(FormatError) in
                try GenerationRecord.appendKey(number, to: &key)
            }, in: .generations)
        return false
    }

    /// As ``discard(_:)``; a damaged record of the owner keeps only its pointer.
    mutating func recover(_ staging: Staging) throws {
        try markGarbage(staging.generation, of: staging.resource)
        do {
            try forget(staging)
        } catch StoreError.damaged {
            // The generation is garbage all the same; `verify` names the record.
        }
    }
}
