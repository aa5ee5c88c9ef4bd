internal import LarderEngine
internal import LarderFormat

extension Tables {
    /// The next collections that may be evicted, from the clock hand on.
    ///
    /// A collection that was read since the hand last passed is skipped once; damaged records are always skipped. The
    /// search ends at the latest after the last collection, and the hand then returns to the start.
    ///
    /// - Parameters:
    ///   - rounds: the number of times that the end may still be reached; counted down.
    ///   - isInUse: whether the write that needs space changes a collection itself.
    func nextCollections(
        in source: ReadTransaction, shared: SharedState, rounds: inout Int, limit: Int,
        isInUse: (CollectionName) -> Bool
    ) throws -> [EvictionCandidate] {
        var found: [EvictionCandidate] = []
        let budget = shared.budget
        let now = budget.now()
        while rounds > 0, found.count < limit {
            guard let next = try nextCollection(after: budget.hand.collection, in: source) else {
                rounds -= 1
                budget.hand.collection = -1
                break
            }
            budget.hand.collection = next.number
            guard let record = next.record, !isInUse(record.name),
                !shared.part(CollectionReads.self).uses.remove(next.number)
            else {
                continue
            }
            found.append(
                EvictionCandidate(
                    subject: .collection(record.name),
                    item: EvictionRule.Item(
                        bytes: record.storedBytes(chunks: next.chunkBytes), usedAt: record.fetchedAt, now: now,
                        isFetchable: true)))
        }
        return found
    }

    /// The collection with the lowest number above `number`: its record, nil where that is damaged or missing, and the
    /// bytes of its chunks.
    func nextCollection(
        after number: Int64, in source: ReadTransaction
    ) throws -> (number: Int64, record: CollectionRecord?, chunkBytes: Int64)? {
        if number == .max { return nil }
        let content = CollectionKey.contents
        return try source.withCursor(in: collections) { cursor in
            var found: (number: Int64, record: CollectionRecord?, chunkBytes: Int64)?
            var isMore = true
            /// Reads a record, and determines whether the next may be one of the same collection.
            func visit(_ entry: borrowing Entry) {
                switch try? CollectionKey(decoding: entry.key) {
                case .record(let number) where found == nil:
                    let record = try? decoding(.collections) { () throws(FormatError) in
                        let body = try Record.open(entry.value, key: entry.key, seed: TableName.collections.seed)
                        return try CollectionRecord(decoding: body)
                    }
                    found = (number, record, 0)
                case .chunk(let number, _) where found == nil || found?.number == number:
                    if found == nil { found = (number, nil, 0) }
                    found?.chunkBytes += Int64(entry.key.byteCount + entry.valueSize)
                // A key that cannot be read is skipped like a damaged record, as long as the keys are those of
                // collections.
                case nil: isMore = entry.key.starts(with: content.rawSpan)
                default: isMore = false
                }
            }
            if let entry = try cursor.seek(CollectionKey.prefix(number: number + 1).rawSpan) {
                visit(entry)
            } else {
                isMore = false
            }
            while isMore, let entry = try cursor.next() { visit(entry) }
            return found
        }
    }
}

extension CollectionRecord {
    /// The approximate bytes of keys and values of the collection, without the rows it names.
    fileprivate func storedBytes(chunks: Int64) -> Int64 {
        // A holder for each row repeats the row of its chunk, with a number and a record header, and the resource and
        // type that the chunk leaves out.
        let holder = Int64(32 + mainResource.group.utf8.count + name.className.utf8.count)
        let (holders, isTooLarge) = rowCount.multipliedReportingOverflow(by: holder)
        let record = Int64(encode().count + name.query.utf8.count + 128)
        return isTooLarge ? .max : (holders.clampedSum(chunks)).clampedSum(chunks.clampedSum(record))
    }
}

extension Store {
    /// The number of collections removed in one commit.
    private static let collectionBatch = 32

    /// Removes the collections that the server has not sent or confirmed since a time, in commits of bounded size that
    /// let other writes go first; their rows stay.
    ///
    /// ``sweep(now:)`` does so with ``StoreOptions/collectionAge``.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    /// - Returns: the number of collections removed.
    /// - Throws: `CancellationError` between two commits; `EngineError`; ``StoreError/damaged(table:reason:)``.
    @discardableResult
    public func sweepCollections(before time: Int64) async throws -> Int {
        if isReadOnly { return 0 }
        var removed = 0
        var last: Int64 = -1
        while true {
            try Task.checkCancellation()
            let (names, end) = try read { view in
                var names: [CollectionName] = []
                var place = last
                while names.count < Self.collectionBatch,
                    let next = try view.tables.nextCollection(after: place, in: view.transaction)
                {
                    place = next.number
                    if let record = next.record, record.fetchedAt < time { names.append(record.name) }
                }
                return (names, place)
            }
            removed += try await writeBulk { transaction in
                try transaction.removeCollections(names, fetchedBefore: time)
            }
            if names.count < Self.collectionBatch { return removed }
            last = end
        }
    }
}

extension Transaction {
    /// Removes those of the collections that were not sent or confirmed meanwhile, and returns their number.
    fileprivate mutating func removeCollections(_ names: [CollectionName], fetchedBefore time: Int64) throws -> Int {
        var removed = 0
        for name in names {
            guard let found = try collection(name), found.fetchedAt < time else { continue }
            try removeCollection(name)
            removed += 1
        }
        return removed
    }
}
