internal import LarderEngine
internal import LarderFormat

// The table `garbage` records each generation or blob that is being written, and everything that is discarded. The
// transaction that begins or discards a range records it. FORMAT.md, "garbage".

extension Transaction {
    /// Records a range in `garbage`; a removable one is reclaimed after the commit.
    mutating func addGarbage(_ key: GarbageKey, count: Int64 = 0, byteCount: Int64 = 0) throws {
        try put(GarbageRecord(process: shared.process, count: count, byteCount: byteCount), under: key)
        if key.isRemovable { effects.hasGarbage = true }
    }

    mutating func put(_ record: GarbageRecord, under key: GarbageKey) throws {
        try put(body: record.encode(), key: key.bytes, in: .garbage)
    }

    /// Removes a range from `garbage`; returns false when it was not there.
    @discardableResult
    mutating func removeGarbage(_ key: GarbageKey) throws -> Bool { try remove(key: key.bytes, in: .garbage) }
}

extension Tables {
    /// The first range at or after the encoded key `start`.
    func nextGarbage(from start: [UInt8], in source: ReadTransaction) throws -> GarbageKey? {
        try source.withCursor(in: garbage) { cursor in
            var position = start
            while let entry = try cursor.seek(position.rawSpan) {
                if let key = try? GarbageKey(decoding: entry.key) { return key }
                // No writer made this key; the next one may be valid.
                position = [UInt8](copying: entry.key) + [0]
            }
            return nil
        }
    }

    /// The numbers of all ranges of one kind.
    func garbage(_ kind: GarbageKey.Kind, in source: ReadTransaction) throws -> [Int64] {
        var found: [Int64] = []
        try forEachRaw(.garbage, prefix: kind.prefix, in: source) { entry in
            if let key = try? GarbageKey(decoding: entry.key) { found.append(key.number) }
            return true
        }
        return found
    }

    /// The record of a range; nil when `garbage` has no such range or its record is damaged.
    func garbageRecord(_ key: GarbageKey, in source: ReadTransaction) throws -> GarbageRecord? {
        do {
            return try record(key.bytes.rawSpan, .garbage, in: source, GarbageRecord.init(decoding:))
        } catch StoreError.damaged {
            return nil
        }
    }

    /// Whether `garbage` has a range.
    func isInGarbage(_ key: GarbageKey, in source: ReadTransaction) throws -> Bool {
        try source.value(forKey: key.bytes.rawSpan, in: garbage) != nil
    }
}
