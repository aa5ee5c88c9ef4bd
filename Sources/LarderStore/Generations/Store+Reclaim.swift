internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// Removes the rows of all garbage generations, and the garbage blobs that nobody holds, in short commits that let
    /// other writes go first.
    ///
    /// Happens by itself after a swap, a withdrawal or a removal; this waits for it.
    ///
    /// - Throws: `CancellationError` between two commits; ``EngineError``; ``StoreError/damaged(table:reason:)``.
    public func reclaim() async throws {
        if isReadOnly { return }
        while true {
            let garbage = try read { view in try view.tables.generations(in: .garbage, view.transaction) }
            if garbage.isEmpty { return try await reclaimBlobs() }
            for (generation, _) in garbage {
                var isMore = true
                while isMore {
                    try Task.checkCancellation()
                    isMore = try await bulk { transaction in
                        try transaction.reclaimSome(of: generation, isTimeUp: self.shared.reclaimer.deadline())
                    }
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
                        blob, limit: Int64(BulkLimits.bytes), isTimeUp: self.shared.reclaimer.deadline()
                    ).isMore
                }
            }
        }
    }

    /// Makes what a killed process was staging garbage, and has all garbage removed.
    ///
    /// Only while no other process has the store open. What cannot be recovered does not keep the store from opening:
    /// it is never visible, and a later open tries again.
    func recover() {
        do {
            let stale = try read { view in try view.tables.generations(in: .staging, view.transaction) }
            if !stale.isEmpty {
                try writeBlocking { transaction in
                    for (number, record) in stale {
                        try transaction.recover(Staging(resource: record.owner, generation: number))
                    }
                }
                host.logger.info("discarded unfinished full copies", metadata: ["count": "\(stale.count)"])
            }
            try recoverBlobs()
            let garbage = try read { view in try view.tables.generations(in: .garbage, view.transaction) }
            shared.reclaimer.add(garbage.map(\.number))
        } catch {
            host.logger.warning("could not discard unfinished full copies", metadata: ["error": "\(error)"])
        }
    }

    private func recoverBlobs() throws {
        let stale = try read { view in try view.tables.blobs(in: .staging, view.transaction) }
        if !stale.isEmpty {
            try writeBlocking { transaction in
                for blob in stale { try transaction.discardStagedBlob(blob) }
            }
            host.logger.info("discarded unfinished bodies", metadata: ["count": "\(stale.count)"])
        }
        // What was staged a moment ago is garbage by now, and given to the reclaimer twice; the second time does nothing.
        shared.reclaimer.add([], blobs: try read { view in try view.tables.blobs(in: .garbage, view.transaction) })
    }
}

extension Tables {
    /// The generations in one state; those whose records are damaged are left out.
    func generations<Source: TableReader & ~Copyable>(
        in state: GenerationRecord.State, _ source: borrowing Source
    ) throws -> [(number: Int64, record: GenerationRecord)] {
        var found: [(number: Int64, record: GenerationRecord)] = []
        try source.withReadCursor(in: generations) { cursor in
            while let entry = try cursor.next() {
                let decoded = try? decoding(.generations) { () throws(FormatError) in
                    let body = try Record.open(entry.value, key: entry.key, seed: TableName.generations.seed)
                    return (try GenerationRecord.decodeKey(entry.key), try GenerationRecord(decoding: body))
                }
                guard let (number, record) = decoded, record.state == state else { continue }
                found.append((number, record))
            }
        }
        return found
    }
}

extension Transaction {
    /// Removes rows of a garbage generation until its time is up, and the generation with its last row.
    ///
    /// - Parameter bytes: about how many bytes of keys and values to remove.
    /// - Returns: whether there is more to remove.
    mutating func reclaimSome(
        of number: Int64, bytes: Int64 = Int64(BulkLimits.bytes), isTimeUp: () -> Bool
    ) throws -> Bool {
        guard var record = try tables.generation(number, in: engine), record.state == .garbage else { return false }
        let owner = RowKeyCoding.prefix(generation: number)
        var tally = RowTally()
        var isOut = false
        _ = try engine.withCursor(in: tables.rows) { cursor in
            // The owner row, the prefix itself, stays until the last row is gone.
            try cursor.removeWhile(from: (owner + [0]).rawSpan, limit: .max) { entry in
                // Stopping before an entry leaves it for the next batch; beyond the generation there is nothing left.
                guard entry.key.starts(with: owner.rawSpan) else { return false }
                if -tally.bytes >= bytes || isTimeUp() {
                    isOut = true
                    return false
                }
                // Garbage has no digest to keep, so damaged rows go like all others.
                tally.remove(key: entry.key.byteCount, value: entry.value.byteCount, checksum: 0)
                return true
            }
        }
        noteRemoved(bytes: -tally.bytes)
        if isOut {
            record.rowCount = max(0, record.rowCount + tally.rows)
            record.byteCount = max(0, record.byteCount + tally.bytes)
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
