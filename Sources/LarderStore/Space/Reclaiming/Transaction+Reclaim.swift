internal import LarderEngine
internal import LarderFormat

extension Transaction {
    /// Removes ranges in `garbage`, in the order of their keys: about `limit` bytes of keys and values.
    ///
    /// - Parameters:
    ///   - place: the encoded key to begin at; afterwards the one at which this ended.
    ///   - sparesHeld: whether bodies that are being read stay; otherwise their readers get ``StoreError/blobRemoved``.
    /// - Returns: whether there may be more to remove, from `place` on.
    mutating func reclaimSome(
        from place: inout [UInt8], bytes limit: Int64 = Int64(BulkLimits.bytes), sparesHeld: Bool = true,
        isTimeUp: () -> Bool
    ) throws -> Bool {
        var rest = limit
        var areOthersIdle: Bool?
        while let key = try tables.nextGarbage(from: place, in: engine) {
            place = key.bytes
            if rest <= 0 || isTimeUp() { return true }
            if try !sparesHeld || isUnheld(key, &areOthersIdle) {
                let (bytes, isMore) = try reclaim(key, bytes: rest, isTimeUp: isTimeUp)
                if isMore { return true }
                rest -= bytes
            }
            place.append(0)
        }
        return false
    }

    /// Whether no process reads a range that is to be removed. Readers of rows have a view of them, so only blobs are
    /// checked.
    ///
    /// - Parameter areOthersIdle: whether no process reads or writes bodies, once that was checked.
    private func isUnheld(_ key: GarbageKey, _ areOthersIdle: inout Bool?) throws -> Bool {
        if key.kind != .blob { return true }
        guard claimBlob(key.number) else { return false }
        // Readers in the process that discarded a body are known to that process alone.
        if try tables.garbageRecord(key, in: engine)?.process == shared.process { return true }
        let isFree = try areOthersIdle ?? shared.leases.isFree()
        areOthersIdle = isFree
        return isFree
    }

    /// Removes some of one range, and its key with the last of it.
    ///
    /// Removes nothing of a damaged range, nor of one that a record leads to, which only a damaged file has here.
    ///
    /// - Returns: the bytes of keys and values that were removed, and whether there are more.
    mutating func reclaim(
        _ key: GarbageKey, bytes limit: Int64, isTimeUp: () -> Bool
    ) throws -> (bytes: Int64, isMore: Bool) {
        if shared.reclaimer.isDamaged(key) { return (0, false) }
        do {
            return try removeSome(of: key, bytes: limit, isTimeUp: isTimeUp)
        } catch {
            shared.reclaimer.handleFailure(error, removing: key)
            throw error
        }
    }

    private mutating func removeSome(
        of key: GarbageKey, bytes limit: Int64, isTimeUp: () -> Bool
    ) throws -> (bytes: Int64, isMore: Bool) {
        let own = key.record
        if try engine.value(forKey: own.key.rawSpan, in: tables[own.table]) != nil { return (0, false) }
        var record =
            try tables.garbageRecord(key, in: engine) ?? GarbageRecord(process: shared.process)
        let before = record
        let removed: (bytes: Int64, isMore: Bool)
        switch key.kind {
        case .stagedGeneration, .stagedBlob: preconditionFailure("\(key) is being written")
        case .generation: removed = try reclaimGeneration(key.number, &record, limit, isTimeUp)
        case .index: removed = try reclaimIndex(key.number, &record, limit, isTimeUp)
        case .blob: removed = try reclaimBlob(key.number, &record, limit, isTimeUp)
        }
        if !removed.isMore {
            try removeGarbage(key)
        } else if record != before {
            try put(record, under: key)
        }
        return removed
    }

    private mutating func reclaimGeneration(
        _ number: Int64, _ record: inout GarbageRecord, _ limit: Int64, _ isTimeUp: () -> Bool
    ) throws -> (bytes: Int64, isMore: Bool) {
        let owner = RowKeyCoding.prefix(generation: number)
        let entries = try removeSome(of: .indexes, prefix: owner, from: owner, bytes: limit, isTimeUp: isTimeUp)
        if entries.isMore { return (entries.bytes, true) }
        // The owner row, the prefix itself, stays until the last row is gone.
        let rows = try removeSome(
            of: .rows, prefix: owner, from: owner + [0], bytes: limit - entries.bytes, isTimeUp: isTimeUp)
        let bytes = entries.bytes + rows.bytes
        record.count = max(0, record.count - rows.count)
        record.byteCount = max(0, record.byteCount - rows.bytes)
        if rows.isMore { return (bytes, true) }
        if let resource = try tables.owner(ofGeneration: number, in: engine),
            try reclaimSingleAnswers(of: resource, bytes: limit - bytes, isTimeUp: isTimeUp)
        {
            return (bytes, true)
        }
        try remove(key: owner, in: .rows)
        return (bytes, false)
    }

    /// Removes entries of an index, generation by generation.
    private mutating func reclaimIndex(
        _ number: Int64, _ record: inout GarbageRecord, _ limit: Int64, _ isTimeUp: () -> Bool
    ) throws -> (bytes: Int64, isMore: Bool) {
        var bytes: Int64 = 0
        while let generation = try tables.nextGenerationInIndexes(from: record.count, in: engine) {
            record.count = generation
            if isTimeUp() { return (bytes, true) }
            let prefix = IndexEntryKey.prefix(generation: generation, index: number)
            let removed = try removeSome(
                of: .indexes, prefix: prefix, from: prefix, bytes: limit - bytes, isTimeUp: isTimeUp)
            bytes += removed.bytes
            if removed.isMore { return (bytes, true) }
            if generation == .max { break }
            record.count = generation + 1
        }
        return (bytes, false)
    }

    private mutating func reclaimBlob(
        _ number: Int64, _ record: inout GarbageRecord, _ limit: Int64, _ isTimeUp: () -> Bool
    ) throws -> (bytes: Int64, isMore: Bool) {
        let prefix = BlobKey.chunks(of: number)
        let chunks = try removeSome(of: .blobs, prefix: prefix, from: prefix, bytes: limit, isTimeUp: isTimeUp)
        record.byteCount = max(0, record.byteCount - chunks.bytes)
        return (chunks.bytes, chunks.isMore)
    }

    /// As ``discard(_:)``, even where the owner's record is damaged.
    mutating func discardStaging(_ generation: Int64) throws {
        let owner = try tables.owner(ofGeneration: generation, in: engine)
        try discardGeneration(generation)
        guard let owner else { return }
        do {
            try clearStaging(generation, of: owner)
        } catch StoreError.damaged {
            // The generation is garbage all the same; `verify` reports the record.
        }
    }
}

extension Tables {
    /// The first generation from `number` on that has entries of any index; 0 is the number of all overlaid rows.
    fileprivate func nextGenerationInIndexes(from number: Int64, in source: ReadTransaction) throws -> Int64? {
        try source.withCursor(in: indexes) { cursor in
            // Declared indexes begin with a text, so they come before every generation.
            var place = IndexEntryKey.prefix(generation: number)
            while let entry = try cursor.seek(place.rawSpan) {
                switch try? IndexKey(decoding: entry.key) {
                case .entry(let entry)?: if case .generation(let found) = entry.scope { return found } else { return 0 }
                case .declaration, nil: break
                }
                // No writer made this key; the next one may be valid.
                place = [UInt8](copying: entry.key) + [0]
            }
            return nil
        }
    }
}
