internal import LarderEngine
internal import LarderFormat

/// Something stored that may be evicted.
struct EvictionCandidate {
    /// What it is.
    let resource: ResourceKey
    /// What the rule goes by.
    let item: EvictionRule.Item
}

extension Tables {
    /// The next resources that may be evicted, from where the hand stands.
    ///
    /// What was used since the hand last passed is passed over once. Damaged records are passed over always.
    ///
    /// - Parameters:
    ///   - looks: how many records may still be looked at; counted down.
    ///   - isInUse: says which resources the write that needs room changes itself.
    func nextEvictable<Source: TableReader & ~Copyable>(
        in source: borrowing Source, room: Room, looks: inout Int, limit: Int, isInUse: (ResourceKey) -> Bool
    ) throws -> [EvictionCandidate] {
        var found: [EvictionCandidate] = []
        let now = room.now()
        var last = room.lastResource
        // At most once round, so that nothing is found twice.
        let end = max(0, looks - (try source.statistics(of: resources).entries))
        try source.withReadCursor(in: resources) { cursor in
            var isMore = looks > end
            /// Looks at a record and answers whether to go on.
            func look(_ entry: borrowing Entry) throws {
                looks -= 1
                last = [UInt8](copying: entry.key)
                if let candidate = try candidate(entry, now, room, source, isInUse) { found.append(candidate) }
                isMore = looks > end && found.count < limit
            }
            // From behind the last one looked at to the end, then from the start.
            var isWithin = false
            if isMore, let entry = try cursor.seek((last + [0]).rawSpan) {
                isWithin = true
                try look(entry)
            }
            while isWithin, isMore, let entry = try cursor.next() { try look(entry) }
            if isMore, let entry = try cursor.first() { try look(entry) } else { isMore = false }
            while isMore, let entry = try cursor.next() { try look(entry) }
        }
        room.lastResource = last
        return found
    }

    private func candidate<Source: TableReader & ~Copyable>(
        _ entry: borrowing Entry, _ now: Int64, _ room: Room, _ source: borrowing Source,
        _ isInUse: (ResourceKey) -> Bool
    ) throws -> EvictionCandidate? {
        let decoded = try? decoding(.resources) { () throws(FormatError) in
            let body = try Record.open(entry.value, key: entry.key, seed: TableName.resources.seed)
            return (try ResourceRecord.decodeKey(entry.key), try ResourceRecord(decoding: body))
        }
        guard let (resource, record) = decoded, record.isEvictable, let generation = record.liveGeneration,
            !isInUse(resource), try !hasOverlays(resource, in: source), !room.uses.take(generation)
        else { return nil }
        let used = max(record.usedAt ?? .min, record.syncedAt ?? .min)
        let (idle, isLong) = now.subtractingReportingOverflow(used)
        return EvictionCandidate(
            resource: resource,
            item: EvictionRule.Item(
                bytes: record.byteCount, idle: isLong ? .max : idle, isFetchable: record.snapshotPath != nil))
    }
}

extension ResourceRecord {
    /// Whether rows are here that may be dropped, as far as its own record says.
    var isEvictable: Bool { state == .ready && liveGeneration != nil && !isPinned && stagingGeneration == nil }
}
