internal import LarderEngine
package import LarderFormat
internal import Logging

extension Store {
    /// Begins a snapshot of `resource`, once it is its turn to be written.
    ///
    /// Readers still see the existing rows. Every begun staging ends with ``swap(_:_:)`` or ``discard(_:)``.
    ///
    /// - Throws: `CancellationError` while waiting for another snapshot; ``StoreError/invalid(_:)`` for a group beyond
    ///   the format's limits; ``EngineError``, also where the lock file of this open cannot be used.
    package func beginStaging(_ resource: ResourceKey) async throws -> Staging {
        try checkWritable()
        try await shared.stagingTurn.acquire()
        do {
            let use = try shared.lease.begin()
            let staging = try await write(durability: .relaxed) { transaction in
                try transaction.beginStaging(resource, use)
            }
            shared.stagingTurn.assign(to: staging.generation, at: host.elapsed())
            return staging
        } catch {
            shared.stagingTurn.release()
            throw error
        }
    }

    /// Releases the turn of a snapshot that has had it for long enough; called between its rows, which may arrive
    /// slowly.
    package func yieldStagingTurn(_ staging: Staging) {
        shared.stagingTurn.release(staging.generation, heldSince: host.elapsed() - StagingTurn.timeSlice)
    }

    /// Writes a batch of rows in as many short commits as needed, once it is the snapshot's turn.
    ///
    /// - Throws: ``StoreError/stagingSuperseded(_:)`` when the snapshot was superseded or discarded;
    ///   `CancellationError`; ``EngineError``.
    package func stage(_ batch: consuming RowBatch, in staging: Staging) async throws {
        batch.sort()
        let sorted = batch
        if !shared.stagingTurn.isHeld(by: staging.generation) {
            try await shared.stagingTurn.acquire()
            shared.stagingTurn.assign(to: staging.generation, at: host.elapsed())
        }
        var position = 0
        while position < sorted.count {
            try Task.checkCancellation()
            let start = position
            position = try await writeBulk { transaction in
                try transaction.load(sorted, from: start, in: staging, isTimeUp: self.shared.deadline())
            }
        }
    }

    /// Points a resource at its new generation, in one commit with the changes of `finish`, and ends its turn.
    ///
    /// Reads that begin after the commit see the new rows; a read inside another one shares the view of that.
    ///
    /// Writes the index entries of its rows first, in short commits.
    ///
    /// - Parameter finish: sets what else changes with it: applied sequence, snapshot path, membership.
    /// - Throws: ``StoreError/stagingSuperseded(_:)`` when the snapshot was superseded or discarded; what `finish`
    ///   throws; as ``Store/write(durability:_:)``. Readers then see no change, and the snapshot has to be discarded.
    package func swap(
        _ staging: Staging, _ finish: @escaping @Sendable (inout Transaction, inout ResourceRecord) throws -> Void
    ) async throws {
        var isSwapped = false
        while !isSwapped {
            let indexes = try indexes(over: staging)
            _ = try await writeEntries(of: IndexBuild(indexes, ofGeneration: staging.generation))
            isSwapped = try await write { transaction in
                try transaction.swap(staging, withEntriesOf: indexes, finish)
            }
        }
        shared.stagingTurn.release(staging.generation)
        staging.use?.end()
    }

    /// The indexes over the rows of a snapshot.
    func indexes(over staging: Staging) throws -> [SecondaryIndex] {
        try read { view in try view.tables.declaredIndexes(in: view.transaction) }.filter {
            $0.covers(staging.resource)
        }
    }

    /// Discards a snapshot: its rows are reclaimed as garbage, and its turn ends.
    package func discard(_ staging: Staging) async {
        defer {
            shared.stagingTurn.release(staging.generation)
            staging.use?.end()
        }
        do {
            // This has to run even when the task was cancelled, so it is not a write that can be cancelled.
            try await writeBulk { transaction in try transaction.discard(staging) }
        } catch {
            // The commit fails on a full disk, for example. It is discarded after a later commit, or by the next open.
            shared.stagingTurn.abandon(staging)
            host.logger.warning("could not discard a snapshot", metadata: ["error": "\(error)"])
        }
    }
}

extension Transaction {
    /// Begins a generation of `resource`, in place of one whose writing was abandoned.
    ///
    /// - Parameter use: a use of the lease of this open, which began before the transaction; nil where the same
    ///   transaction swaps the generation in.
    mutating func beginStaging(_ resource: ResourceKey, _ use: OpenerLease.Use?) throws -> Staging {
        if let old = try record(of: resource)?.stagingGeneration { try discardGeneration(old) }
        let generation = try makeGeneration(of: resource)
        try addGarbage(staged(generation))
        try update(resource) { $0.stagingGeneration = generation }
        return Staging(resource: resource, generation: generation, use: use)
    }

    /// Puts rows of `batch` from `start` on until the batch ends, its time is up, or a commit has enough bytes.
    ///
    /// - Returns: the position of the first row not put.
    mutating func load(
        _ batch: RowBatch, from start: Int, in staging: Staging, isTimeUp: () -> Bool
    ) throws -> Int {
        guard try tables.isInGarbage(staged(staging.generation), in: engine),
            var record = try tables.generation(staging.generation, in: engine)
        else { throw StoreError.stagingSuperseded(staging.resource) }
        var tally = RowTally()
        var position = start
        var bytes = 0
        var isAppending = true
        let all = batch.bytes.rawSpan
        while position < batch.items.count, bytes < BulkLimits.bytes {
            let item = batch.items[position]
            let key = all.extracting(item.keyStart..<item.valueStart)
            let value = all.extracting(item.valueStart..<item.end)
            if let stored = try compressed(value, of: staging.resource.group) {
                try putStaged(stored.rawSpan, key, &isAppending, &tally)
            } else {
                try putStaged(value, key, &isAppending, &tally)
            }
            tally.add(key: key.byteCount, value: value.byteCount, checksum: item.checksum)
            bytes += item.end - item.keyStart
            position += 1
            if isTimeUp() { break }
        }
        countRemoved(bytes: -tally.bytes)
        try tally.apply(to: &record)
        try putGeneration(staging.generation, record)
        return position
    }

    /// Puts a staged row, compressed or not, behind all others, or in place of one that may be there already.
    private mutating func putStaged(
        _ stored: borrowing RawSpan, _ key: RawSpan, _ isAppending: inout Bool, _ tally: inout RowTally
    ) throws {
        if isAppending { isAppending = try writer.append(stored, forKey: key, in: tables.rows) }
        if isAppending { return }
        if let old = try engine.value(forKey: key, in: tables.rows) {
            tally.remove(key: key.byteCount, value: old.byteCount, checksum: try Self.checksum(of: old))
        }
        try writer.set(stored, forKey: key, in: tables.rows)
    }

    /// Points a resource at its new generation; readers see it once the transaction is committed.
    ///
    /// - Parameter indexes: the indexes whose entries of its rows are written.
    /// - Returns: false, with nothing changed, when the indexes declared now are not `indexes`.
    mutating func swap(
        _ staging: Staging, withEntriesOf indexes: [SecondaryIndex],
        _ finish: (inout Transaction, inout ResourceRecord) throws -> Void
    ) throws -> Bool {
        let declared = try tables.declaredIndexes(in: engine).filter { $0.covers(staging.resource) }
        guard declared.map(\.number) == indexes.map(\.number) else { return false }
        guard let generation = try tables.generation(staging.generation, in: engine),
            var record = try record(of: staging.resource), record.stagingGeneration == staging.generation
        else { throw StoreError.stagingSuperseded(staging.resource) }
        try finish(&self, &record)
        if let old = record.liveGeneration { try discardGeneration(old) }
        record.state = .ready
        record.liveGeneration = staging.generation
        record.stagingGeneration = nil
        record.rowCount = generation.rowCount
        record.byteCount = generation.byteCount
        try update(staging.resource) { $0 = record }
        try removeGarbage(staged(staging.generation))
        try markRowsReplaced(of: staging.resource)
        return true
    }

    mutating func discard(_ staging: Staging) throws {
        guard try tables.isInGarbage(staged(staging.generation), in: engine) else { return }
        try discardGeneration(staging.generation)
        try clearStaging(staging.generation, of: staging.resource)
    }

    private func staged(_ generation: Int64) -> GarbageKey { GarbageKey(.stagedGeneration, generation) }

    /// Removes a snapshot from its resource's record.
    mutating func clearStaging(_ generation: Int64, of resource: ResourceKey) throws {
        guard let record = try record(of: resource), record.stagingGeneration == generation else { return }
        try update(resource) { $0.stagingGeneration = nil }
    }
}
