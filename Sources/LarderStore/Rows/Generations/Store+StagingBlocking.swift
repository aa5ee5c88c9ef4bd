package import LarderEngine
package import LarderFormat

/// Staging as ``Store/beginStaging(_:)`` and its like do it, for a caller that has one thread and waits for no turn.
extension Store {
    /// Begins a snapshot of `resource`, which ends with ``swapBlocking(_:durability:_:)`` or ``discardBlocking(_:)``.
    /// Blocks for the commit.
    ///
    /// - Throws: as ``beginStaging(_:)``, without `CancellationError`.
    package func beginStagingBlocking(_ resource: ResourceKey) throws -> Staging {
        try checkWritable()
        let use = try shared.lease.begin()
        return try writeBlocking(durability: .relaxed) { transaction in try transaction.beginStaging(resource, use) }
    }

    /// Writes a batch of rows, each commit as large as ``BulkLimits/bytes`` allows. Blocks.
    ///
    /// - Throws: ``StoreError/stagingSuperseded(_:)`` when the snapshot was superseded or discarded; ``EngineError``.
    package func stageBlocking(_ batch: consuming RowBatch, in staging: Staging) throws {
        batch.sort()
        let sorted = batch
        var position = 0
        while position < sorted.count {
            let start = position
            position = try writeBlocking(durability: .relaxed) { transaction in
                try transaction.load(sorted, from: start, in: staging, isTimeUp: { false })
            }
        }
    }

    /// Makes a snapshot the one that readers see, in one commit with the changes of `finish`, once its index entries
    /// are written. Blocks.
    ///
    /// - Throws: as ``swap(_:_:)``; the snapshot has to be discarded then.
    package func swapBlocking(
        _ staging: Staging, durability: Durability = .full,
        _ finish: (inout Transaction, inout ResourceRecord) throws -> Void
    ) throws {
        var isSwapped = false
        while !isSwapped {
            let indexes = try indexes(over: staging)
            _ = try writeEntriesBlocking(of: IndexBuild(indexes, ofGeneration: staging.generation))
            isSwapped = try writeBlocking(durability: durability) { transaction in
                try transaction.swap(staging, withEntriesOf: indexes, finish)
            }
        }
        staging.use?.end()
    }

    /// Discards a snapshot: it becomes garbage. Blocks.
    ///
    /// - Throws: ``EngineError``; the next open then finds the snapshot and makes it garbage.
    package func discardBlocking(_ staging: Staging) throws {
        defer { staging.use?.end() }
        try writeBlocking(durability: .relaxed) { transaction in try transaction.discard(staging) }
    }
}
