package import LarderEngine
package import LarderFormat

/// Staging as ``Store/beginStaging(_:)`` and its like have it, for a caller that has one thread and waits for no turn.
extension Store {
    /// Begins a full copy of `resource`; ends with ``swapBlocking(_:_:)`` or ``discardBlocking(_:)``. Blocks for the commit.
    ///
    /// - Throws: ``EngineError``; ``StoreError``.
    package func beginStagingBlocking(_ resource: ResourceKey) throws -> Staging {
        try writeBlocking(durability: .relaxed) { transaction in try transaction.beginStaging(resource) }
    }

    /// Writes a batch of rows, each commit as large as ``BulkLimits/bytes`` allows. Blocks.
    ///
    /// - Throws: ``StoreError/stagingSuperseded(_:)`` when the copy is no longer wanted; ``EngineError``.
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

    /// Makes the copy the one that readers see, in one commit with what `finish` does, once the entries that its rows call for
    /// are written. Blocks.
    ///
    /// - Throws: as ``swap(_:_:)``; the copy has to be discarded then.
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
    }

    /// Gives a copy up: it becomes garbage. Blocks.
    ///
    /// - Throws: ``EngineError``; the next open then finds the copy and makes it garbage.
    package func discardBlocking(_ staging: Staging) throws {
        try writeBlocking(durability: .relaxed) { transaction in try transaction.discard(staging) }
    }
}
