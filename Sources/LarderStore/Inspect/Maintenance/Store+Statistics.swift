internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Returns the content and the size of the store, counted in one read view. Of a diagnostic copy the sizes are those of
    /// the store that it is of.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/notAStore``, `EngineError`.
    /// - Complexity: reads the records of resources and of garbage, and the heads of the outbox.
    public func statistics() throws -> StoreStatistics {
        try read { view in try statistics(of: view) }
    }

    private func statistics(of view: borrowing ReadView) throws -> StoreStatistics {
        guard let format = try tables.format(in: view.transaction) else { throw StoreError.notAStore }
        let info = try environment.info()
        let (resources, rows) = try countResources(view)
        let outbox = try countOutbox(view)
        var byTable: [String: TableStatistics] = [:]
        for name in TableName.allCases { byTable[name.rawValue] = try view.transaction.statistics(of: tables[name]) }
        let original = try view.diagnostics()
        for table in original?.tables ?? [] where byTable[table.name] != nil {
            byTable[table.name] = TableStatistics(
                entries: table.entries, pages: table.pages, pageSize: info.pageSize)
        }
        func entries(_ name: TableName) -> Int { byTable[name.rawValue]?.entries ?? 0 }
        return StoreStatistics(
            storeID: format.storeID, formatVersion: "\(format.major).\(format.minor)", createdBy: format.createdBy,
            lastCommit: view.commit, fileSize: original?.fileSize ?? Int64(clamping: info.fileSize),
            pageSize: info.pageSize,
            usedPages: byTable.values.reduce(0) { $0 + $1.pages }, lastPage: original?.lastPage ?? info.lastPage,
            mapSize: info.mapSize,
            storedSize: try tables.counters(in: view.transaction).storedSize, tables: byTable, resources: resources,
            rows: rows, generations: try countGenerations(view, known: entries(.generations)),
            filters: entries(.filters),
            members: entries(.members), outboxEntries: outbox.entries, outboxLanes: outbox.lanes,
            oldestOutboxEntryAt: outbox.oldest, journalRecords: entries(.journal),
            readers: StoreStatistics.ReaderSlots(used: info.usedReaders, maximum: info.maximumReaders))
    }

    private func countResources(
        _ view: borrowing ReadView
    ) throws -> (counts: StoreStatistics.ResourceCounts, rows: Int64) {
        var counts = StoreStatistics.ResourceCounts()
        var rows: Int64 = 0
        try tables.forEach(.resources, prefix: [], in: view.transaction) { _, body in
            let record = try decoding(.resources) { () throws(FormatError) in try ResourceRecord(decoding: body) }
            switch record.state {
            case .ready:
                counts.ready += 1
                rows = rows.clampedSum(record.rowCount)
            case .hidden: counts.hidden += 1
            case .evicted: counts.evicted += 1
            case .empty: counts.empty += 1
            }
            return true
        }
        return (counts, rows)
    }

    private func countGenerations(
        _ view: borrowing ReadView, known: Int
    ) throws -> StoreStatistics.GenerationCounts {
        var counts = StoreStatistics.GenerationCounts()
        try tables.forEach(.garbage, prefix: [], in: view.transaction) { key, body in
            let (key, record) = try decoding(.garbage) { () throws(FormatError) in
                (try GarbageKey(decoding: key), try GarbageRecord(decoding: body))
            }
            switch key.kind {
            case .stagedGeneration: counts.staging += 1
            case .generation:
                counts.garbage += 1
                counts.garbageRows = counts.garbageRows.clampedSum(record.count)
                counts.garbageBytes = counts.garbageBytes.clampedSum(record.byteCount)
            case .stagedBlob, .index, .blob: break
            }
            return true
        }
        counts.live = max(0, known - counts.staging)
        return counts
    }

    private func countOutbox(_ view: borrowing ReadView) throws -> (entries: Int, lanes: Int, oldest: Int64?) {
        var entries = 0
        var lanes = 0
        var lastLane: [UInt8]?
        var oldest: Int64?
        try tables.forEach(.outbox, prefix: OutboxKey.heads, in: view.transaction) { key, body in
            let found = try decoding(.outbox) { () throws(FormatError) -> (lane: String, createdAt: Int64)? in
                guard case .head(let lane, _) = try OutboxKey(decoding: key) else { return nil }
                return (lane, try OutboxHeadRecord(decoding: body).draft.createdAt)
            }
            guard let found else { return false }
            entries += 1
            // Entries of one lane are adjacent; lanes are compared by their bytes.
            let lane = Array(found.lane.utf8)
            if lane != lastLane { lanes += 1 }
            lastLane = lane
            oldest = min(oldest ?? found.createdAt, found.createdAt)
            return true
        }
        return (entries, lanes, oldest)
    }
}
