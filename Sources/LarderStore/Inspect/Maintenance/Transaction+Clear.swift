internal import LarderEngine
internal import LarderFormat

// Each of these removes content of one kind, up to the limit of one commit, and returns whether there is more. The
// store is consistent after each.

extension Transaction {
    /// The most records of a kind removed in one commit.
    private static let batch = 128

    /// Removes entries of the outbox.
    mutating func clearSomeUnsent() throws -> Bool {
        var found: [(place: OutboxDeliveryRecord, draft: OutboxDraft)] = []
        try tables.forEachReadable(.outbox, prefix: OutboxKey.heads, in: engine) { key, body throws(FormatError) in
            guard case .head(let lane, let sequence) = try OutboxKey(decoding: key) else { return nil }
            return (OutboxDeliveryRecord(lane: lane, sequence: sequence), try OutboxHeadRecord(decoding: body).draft)
        } _: { (entry: (place: OutboxDeliveryRecord, draft: OutboxDraft)?) in
            if let entry, found.count < Self.batch { found.append(entry) }
        }
        for (place, draft) in found {
            let delivery = (try? tables.delivery(draft.id, in: engine)) ?? place
            try removeEntry(draft, delivery.hasSamePosition(as: place) ? delivery : place)
            if let blob = draft.blob { try discardBlob(blob.number) }
        }
        return found.count == Self.batch
    }

    /// Removes members of filters, and each filter after its last member.
    mutating func clearSomeFilters() throws -> Bool {
        guard let (number, record) = (try? tables.filters(in: engine))?.first,
            let members = try? members(ofFilter: number)
        else { return false }
        for (resource, _) in members.prefix(Self.batch) { try removeMember(ofFilter: number, resource) }
        if members.count > Self.batch { return true }
        try remove(key: Self.key { try FilterState.appendKey(number, to: &$0) }, in: .filters)
        effects.changes.addFilter(record.filter)
        return true
    }

    /// Removes resources, with the overlays of each; their rows become garbage.
    mutating func clearSomeResources() throws -> Bool {
        var found: [(ResourceKey, ResourceRecord)] = []
        try tables.forEachReadable(.resources, in: engine) { key, body throws(FormatError) in
            (try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
        } _: { (resource: ResourceKey, record: ResourceRecord) in
            if found.count < Self.batch { found.append((resource, record)) }
        }
        var rest = (rows: Self.batch, end: sizeDelta - Int64(BulkLimits.bytes))
        for (resource, record) in found {
            effects.changes.addReplaced(resource)
            guard try clearOverlays(of: resource, &rest) else { return true }
            for case let generation? in [record.liveGeneration, record.stagingGeneration] {
                try discardGeneration(generation)
            }
            try remove(key: Self.key { try ResourceRecord.appendKey(resource, to: &$0) }, in: .resources)
        }
        return found.count == Self.batch
    }

    /// Removes overlays of a resource, row by row.
    ///
    /// - Parameter rest: the number of rows that the commit may still clear, and the ``sizeDelta`` at which it ends.
    /// - Returns: false when there are more.
    private mutating func clearOverlays(
        of resource: ResourceKey, _ rest: inout (rows: Int, end: Int64)
    ) throws -> Bool {
        let prefix = try Self.key { try $0.append(resource: resource) }
        var rows: [RowKey] = []
        var isMore = false
        try tables.forEachRaw(.overlay, prefix: prefix, in: engine) { entry in
            isMore = rows.count == rest.rows
            if !isMore, let (row, _) = try? OverlayKey.decode(entry.key) { rows.append(row) }
            return !isMore
        }
        var count = 0
        while count < rows.count, sizeDelta > rest.end {
            let row = rows[count]
            let writes = try Self.key { try OverlayKey.appendWrites(over: row, to: &$0) }
            _ = try removeSome(of: .overlay, prefix: writes, from: writes, bytes: .max, isTimeUp: { false })
            try refreshOverlay(at: row)
            count += 1
        }
        rest.rows -= count
        return count == rows.count && !isMore
    }

    /// Removes garbage, even while it is read, and bodies that are still being written.
    mutating func clearSomeGarbage() throws -> Bool {
        for blob in try tables.garbage(.stagedBlob, in: engine) { try discardStagedBlob(blob) }
        var place = GarbageKey.removable
        return try reclaimSome(from: &place, sparesHeld: false, isTimeUp: { false })
    }

    /// Removes any records of a table.
    mutating func clearSome(of table: TableName) throws -> Bool {
        try removeSome(of: table, prefix: [], from: [0], bytes: Int64(BulkLimits.bytes), isTimeUp: { false }).isMore
    }
}
