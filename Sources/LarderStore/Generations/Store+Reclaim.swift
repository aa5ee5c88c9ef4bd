internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// Removes the rows of all garbage generations, in short commits that let other writes go first.
    ///
    /// Happens by itself after a swap; this waits for it.
    ///
    /// - Throws: `CancellationError` between two commits; ``EngineError``; ``StoreError/damaged(table:reason:)``.
    public func reclaim() async throws {
        if isReadOnly { return }
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = try await !bulk { transaction in try transaction.reclaimSome(isTimeUp: self.bulkDeadline()) }
        }
    }

    /// Removes garbage behind the caller's back, one short commit after the other.
    package func scheduleReclaim() {
        do throws(EngineError) {
            try environment.onWriter(isBulk: true) {
                do {
                    let isMore = try self.bulkOnWriter { transaction in
                        try transaction.reclaimSome(isTimeUp: self.bulkDeadline())
                    }
                    if isMore { self.scheduleReclaim() }
                } catch {
                    self.host.logger.warning("could not reclaim garbage", metadata: ["error": "\(error)"])
                }
            }
        } catch {
            // The store is closing; the next open goes on.
            host.logger.debug("garbage is left to the next open", metadata: ["error": "\(error)"])
        }
    }

    /// Makes what a killed process was staging garbage. Only while no other process has the store open.
    func recover() throws {
        let stale = try read { view in try view.tables.generations(in: .staging, view.transaction) }
        if !stale.isEmpty {
            try writeBlocking { transaction in
                for (number, record) in stale {
                    try transaction.discard(Staging(resource: record.owner, generation: number))
                }
            }
            host.logger.info("discarded unfinished full copies", metadata: ["count": "\(stale.count)"])
        }
        scheduleReclaim()
    }
}

extension Tables {
    /// The generations in one state.
    func generations<Source: TableReader & ~Copyable>(
        in state: GenerationRecord.State, _ source: borrowing Source
    ) throws -> [(number: Int64, record: GenerationRecord)] {
        var found: [(number: Int64, record: GenerationRecord)] = []
        try forEach(.generations, prefix: [], in: source) { key, body in
            let (number, record) = try decoding(.generations) { () throws(FormatError) in
                (try GenerationRecord.decodeKey(key), try GenerationRecord(decoding: body))
            }
            if record.state == state { found.append((number, record)) }
            return true
        }
        return found
    }
}

extension Transaction {
    /// Removes rows of the oldest garbage generation until its time is up.
    ///
    /// - Returns: whether there is more to remove.
    mutating func reclaimSome(isTimeUp: () -> Bool) throws -> Bool {
        guard let (number, found) = try tables.generations(in: .garbage, engine).first else { return false }
        var record = found
        let owner = RowKeyCoding.prefix(generation: number)
        var tally = RowTally()
        var isOut = false
        _ = try engine.withCursor(in: tables.rows) { cursor in
            // The owner row, the prefix itself, stays until the last row is gone.
            try cursor.removeWhile(from: (owner + [0]).rawSpan, limit: .max) { entry in
                // Stopping before an entry leaves it for the next batch; beyond the generation there is nothing left.
                guard entry.key.starts(with: owner.rawSpan) else { return false }
                if -tally.bytes >= Int64(BulkLimits.bytes) || isTimeUp() {
                    isOut = true
                    return false
                }
                let checksum = try Self.checksum(of: entry.value)
                tally.remove(key: entry.key.byteCount, value: entry.value.byteCount, checksum: checksum)
                return true
            }
        }
        noteRemoved(bytes: -Int(tally.bytes))
        tally.apply(to: &record)
        if isOut {
            try putGeneration(number, record)
            return true
        }
        try remove(key: owner, in: .rows)
        try remove(
            key: Self.key { (key) throws(FormatError) in
                try GenerationRecord.appendKey(number, to: &key)
            }, in: .generations)
        return try tables.generations(in: .garbage, engine).first != nil
    }
}
