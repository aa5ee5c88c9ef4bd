package import LarderFormat

extension Store {
    /// The most rows that are replaced at once, and the most bytes of their payloads: the writer is held for about a
    /// millisecond.
    package static var mostRowsAtOnce: Int { 512 }
    package static var mostBytesAtOnce: Int { 128 << 10 }

    /// Replaces the rows of a resource by those of a snapshot in one commit, with the changes of `finish`.
    ///
    /// The commit may contain other writes, such as those of other small snapshots. Replacements of this kind share the
    /// turn in which generations are written: each writes its whole generation in one transaction.
    ///
    /// - Parameters:
    ///   - rows: at most ``mostRowsAtOnce``, of at most ``mostBytesAtOnce``.
    ///   - finish: sets what else changes with it, as for ``swap(_:_:)``.
    /// - Returns: false, with nothing changed, where an index is over the rows: its entries have to be written first,
    ///   which takes ``beginStaging(_:)`` and its like.
    /// - Throws: `CancellationError`; what `finish` throws; as ``write(durability:_:)``. Readers then see no change.
    package func replaceAtOnce(
        _ rows: SnapshotRows,
        _ finish: @escaping @Sendable (inout Transaction, inout ResourceRecord) throws -> Void
    ) async throws -> Bool {
        try checkWritable()
        // The transaction looks again, since an index may be declared meanwhile.
        if try read({ view in try view.tables.hasIndex(over: rows.resource, in: view.transaction) }) { return false }
        try await shared.stagingTurn.join(at: host.elapsed)
        defer { shared.stagingTurn.leave() }
        return try await write { transaction in try transaction.replaceAtOnce(rows, finish) }
    }
}

extension Transaction {
    fileprivate mutating func replaceAtOnce(
        _ rows: SnapshotRows, _ finish: (inout Transaction, inout ResourceRecord) throws -> Void
    ) throws -> Bool {
        if try tables.hasIndex(over: rows.resource, in: engine) { return false }
        // A refusal comes before the first change, so that writes of the same commit need not be made again.
        var record = try record(of: rows.resource) ?? ResourceRecord()
        try finish(&self, &record)
        // No other process sees the generation before it is complete.
        let staging = try beginStaging(rows.resource, nil)
        var batch = try rows.encoded(for: staging)
        batch.sort()
        var position = 0
        while position < batch.count {
            position = try load(batch, from: position, in: staging, isTimeUp: { false })
        }
        return try swap(staging, withEntriesOf: []) { [record] _, staged in staged = record }
    }
}
