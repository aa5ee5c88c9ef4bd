internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Makes a new store of everything that can still be read of a damaged one, which is not changed.
    ///
    /// Every page of the file is read, and every record is taken whose checksum fits its table, key and owner, whether or
    /// not the pages that should lead to it are damaged. What is lost of the server's content is fetched again by the next
    /// sync: the resources that are not known to be whole keep the rows that are left, and count as not yet synced.
    /// Tokens of filters stay where the list of their resources is whole. Writes of the outbox keep their identity, their
    /// order and their effect on rows; one of which the delivery is lost is sent again under its key. Indexes and the file of
    /// words are made again. Blocks.
    ///
    /// ```swift
    /// do {
    ///     return try Store.open(at: path, host: host)
    /// } catch EngineError.damagedPage {
    ///     print(try Store.salvage(at: path, to: path + ".salvaged", host: host))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: the directory of the damaged store, which no process may have open.
    ///   - newPath: the directory of the new store, which must not hold one. It holds remains when this throws.
    ///   - host: the services of the new store.
    ///   - encryption: that of the damaged store, which the new one continues; nil for a plain one.
    ///   - compression: that of the damaged store, nil where it has none. The rows of the new store are plain: compress
    ///     them with ``trainDictionary(for:)``.
    ///   - lockTimeout: the time to wait while another program holds the lock of the damaged store's directory.
    ///   - progress: receives the pages read so far, of twice the pages of the file.
    /// - Throws: `EngineError.heldByOthers` while a process has the damaged store open; `EngineError.notADatabase` where
    ///   the file has no page of LMDB; ``StoreError/notAStore`` where no page has a record of a store;
    ///   ``StoreError/unsupportedFormat(_:)`` and ``StoreError/readOnlyFormat`` where
    ///   another version has made it; the errors of `progress`.
    /// - Complexity: reads the file two to four times; memory for each resource, generation, response and write.
    public static func salvage(
        at path: String, to newPath: String, host: HostServices, encryption: StoreEncryption? = nil,
        compression: StoreCompression? = nil, lockTimeout: Duration = StoreOptions().lockTimeout,
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> SalvageReport {
        try salvage(
            SalvageReader(storeAt: path, lockTimeout: lockTimeout), to: newPath, host, (encryption, compression),
            progress)
    }

    static func salvage(
        _ reader: SalvageReader, to newPath: String, _ host: HostServices,
        _ coding: (encryption: StoreEncryption?, compression: StoreCompression?),
        _ progress: (_ done: Int, _ total: Int) throws -> Void
    ) throws -> SalvageReport {
        let keys = try SalvageKeys.find(in: reader, coding.encryption, progress)
        var options = EnvironmentOptions(tables: Tables.names)
        options.cipher = keys?.cipher
        let environment = try Environment.open(
            path: newPath, options: options,
            initialize: { transaction, tables in
                guard let keys else { return }
                let key = KeysRecord.key
                try transaction.set(keys.value.rawSpan, forKey: key.rawSpan, in: Tables(tables).meta)
            })
        var loader = SalvageLoader(reader, keys, coding.compression.map { RowCompression($0) }, environment)
        var report = SalvageReport()
        do {
            try loader.load(progress: progress)
            if loader.needsCompression { throw StoreError.compressionMissing }
            if loader.records.isEmpty { throw StoreError.notAStore }
            try completeMeta(environment, loader, host, keys)
        } catch {
            try? environment.close()
            throw error
        }
        try environment.close()
        report.pageCount = reader.pages.total
        report.damagedPageCount = reader.pages.damaged
        report.damagedRecordCount = loader.damagedCount
        report.records = loader.records
        report.hasLostAccount = loader.hasLoss(of: .meta)
        try repair(newPath, loader, host, coding, &report)
        return report
    }

    /// Stores the format record and the counters, where they are lost, and raises the counters above every number in use.
    private static func completeMeta(
        _ environment: Environment, _ loader: SalvageLoader, _ host: HostServices, _ keys: SalvageKeys?
    ) throws {
        let tables = Tables(environment)
        var highest = HighestNumbers()
        var known: (format: FormatRecord?, counters: CountersRecord?)
        var hasKeys = false
        let keysKey = KeysRecord.key
        try environment.read { transaction in
            hasKeys = try transaction.value(forKey: keysKey.rawSpan, in: tables.meta) != nil
            let verifier = Verifier(tables: tables, comparesRecords: false, findings: 0, progress: { _, _ in }) { _ in }
            try verifier.run(transaction)
            highest = verifier.highest
            known = (
                try readable { try tables.format(in: transaction) },
                try readable { try tables.counters(in: transaction) }
            )
        }
        if let format = known.format {
            let access: FormatAccess
            do { access = try format.access() } catch { throw StoreError.unsupportedFormat(error) }
            if access == .readOnly { throw StoreError.readOnlyFormat }
            hasKeys = hasKeys || format.features.isSealed
        }
        if hasKeys, keys == nil { throw StoreError.encryption(.keyMissing) }
        var format = known.format ?? FormatRecord(storeID: host.makeID(), createdBy: "Larder 0.9")
        if let keys {
            format.features.isSealed = true
            format.storeID = keys.cipher.storeID
        }
        // No row of the new store is compressed yet.
        format.features.isCompressed = false
        var counters = known.counters ?? CountersRecord()
        // Where the counters are old, numbers above those in use may have been assigned to what was removed since.
        counters.raise(above: highest, by: loader.hasLoss(of: .meta) ? 1 << 20 : 0)
        (counters.pendingEntries, counters.pendingBytes) = (0, 0)
        if counters.applied.timeline < highest.timeline { counters.applied = ServerPosition(highest.timeline, 0) }
        try environment.writeBlocking { [format] transaction in
            try transaction.setMeta(FormatRecord.key, format, in: tables)
            try transaction.setMeta(CountersRecord.key, counters, in: tables)
        }
    }

    /// Returns the record that `body` reads, or nil where it is damaged; throws the errors of the system.
    private static func readable<Result>(_ body: () throws -> Result?) throws -> Result? {
        do {
            return try body()
        } catch let error as EngineError where !error.isOfStoredBytes {
            throw error
        } catch is EngineError, is StoreError, is FormatError {
            return nil
        }
    }

    /// Opens the new store, and makes its records agree with each other.
    private static func repair(
        _ path: String, _ loader: SalvageLoader, _ host: HostServices,
        _ coding: (encryption: StoreEncryption?, compression: StoreCompression?), _ report: inout SalvageReport
    ) throws {
        var options = StoreOptions(access: .readWriteExisting)
        options.encryption = coding.encryption
        options.compression = coding.compression
        let store = try Store.open(at: path, options: options, host: host)
        do {
            var repaired = report
            try store.writeBlocking { transaction in
                var repair = SalvageRepair(loader, report, now: host.now())
                try repair.run(&transaction)
                repaired = repair.report
            }
            report = repaired
            try correctStoredSize(in: store.environment)
            report.findings = try store.verify(.meaning) { _ in }.findings
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }
}

extension CountersRecord {
    /// Raises each counter above a number in use, and by a margin.
    fileprivate mutating func raise(above highest: HighestNumbers, by margin: Int64) {
        func raise(_ counter: inout Int64, _ number: Int64) {
            counter = max(counter, number.clampedSum(1)).clampedSum(margin)
        }
        raise(&nextGeneration, highest.generation)
        raise(&nextOutboxSequence, highest.outboxSequence)
        raise(&nextFilter, highest.filter)
        raise(&nextJournalSequence, highest.journalSequence)
        raise(&nextBlob, highest.blob)
        // Indexes are left out and made anew, and their numbers have a limit that the margin would pass.
        nextIndex = highest.index.clampedSum(1)
        raise(&nextCollection, highest.collection)
    }
}
