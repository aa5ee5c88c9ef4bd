internal import LarderEngine
internal import LarderFormat
internal import Logging

extension Store {
    /// The in-memory parts of the layers for an open file, the lowest layer first: the order in which they handle
    /// commits. Rows are counted after all parts that may change rows.
    static let parts: [any SharedPart.Type] = [
        StagingTurn.self, RowHistory.self,
        BlobLeases.self, UsageLog.self, CollectionReads.self, SingleAnswerRemover.self, MembershipRestorer.self,
        SyncOwnership.self,
        OutboxChangeLog.self, ShownRowUpdater.self, ListPasses.self, SuspectedDeletionLists.self, Releaser.self,
        RowTallyWriter.self, StorageBudget.self, Reclaimer.self, Resealer.self,
    ]

    /// Opens the store in the directory at `path`, which is created when it does not exist.
    ///
    /// A process that opens the same directory twice with the same options shares one environment. Garbage that another
    /// process has left is reclaimed in the background. Accepted writes that it had yet to release are released there
    /// too. Content that a killed process was writing becomes garbage. When more is stored than ``StoreOptions/sizeCap``
    /// allows, evictable content is evicted before the first write. Blocks while another process opens or closes the
    /// store.
    ///
    /// A damaged file is an error, or is replaced by what can still be read of it: ``StoreOptions/recovery``.
    ///
    /// - Throws: `EngineError` (its cases under opening), ``StoreError/notAStore``,
    ///   ``StoreError/unsupportedFormat(_:)``, ``StoreError/damaged(table:reason:)``, ``StoreError/tableLost(_:)``,
    ///   ``StoreError/encryption(_:)``, ``StoreError/compressionMissing``; ``StoreError/readOnlyFormat`` for a file that lacks a table and may only be read
    ///   by this version.
    public static func open(at path: String, options: StoreOptions = StoreOptions(), host: HostServices) throws -> Store
    {
        do {
            return try open(at: path, options, host, after: nil)
        } catch {
            guard options.recovery == .salvage, options.access != .readOnly, isDamage(error),
                let recovery = try recover(at: path, from: error, options, host)
            else { throw error }
            return try open(at: path, options, host, after: recovery)
        }
    }

    private static func open(
        at path: String, _ options: StoreOptions, _ host: HostServices, after recovery: StoreRecovery?
    ) throws -> Store {
        var known: (counters: CountersRecord?, tables: Set<String>)?
        let cipher = options.encryption.map { StoreCipher($0) }
        let compression = options.compression.map { RowCompression($0) }
        let environment = try openEnvironment(at: path, options, host, (cipher, compression)) { known = ($0, $1) }
        do {
            try checkEncryption(of: environment, cipher)
            try checkCompression(of: environment, compression)
            let access = try readFormat(environment)
            let isReadOnly = options.access == .readOnly || access == .readOnly
            if !isReadOnly { try enableCompression(of: environment) }
            let store = try Store(
                environment: environment, host: host, isReadOnly: isReadOnly, sizeCap: options.sizeCap,
                collectionAge: options.collectionAge, credentialFields: options.credentialFields,
                recovery: recovery, parts: parts)
            if environment.wasCheckedAtOpen {
                host.logger.notice("no clean close vouches for the file: its pages were checked, and are sound")
            }
            if !isReadOnly {
                let participants = store.shared.participants
                store.shared.recoverOnce {
                    let openingState = OpeningState(
                        isExclusive: environment.wasOpenedAlone, counters: known?.counters,
                        hasLostGarbage: known?.tables.contains(TableName.garbage.rawValue) == false)
                    for participant in participants { participant.recover(store, from: openingState) }
                }
                for participant in participants { participant.begin(store) }
            }
            return store
        } catch {
            try? environment.close()
            throw error
        }
    }

    private static func openEnvironment(
        at path: String, _ options: StoreOptions, _ host: HostServices,
        _ coding: (cipher: StoreCipher?, compression: RowCompression?),
        onInspect: (CountersRecord?, Set<String>) -> Void
    ) throws -> Environment {
        do {
            return try Environment.open(
                path: path, options: options.environment(coding.cipher, coding.compression),
                initialize: { transaction, tables in
                    try writeFirstRecords(&transaction, Tables(tables), id: host.makeID(), coding.cipher)
                },
                inspect: { transaction, tables in
                    let access = try readFormat(in: transaction, tables)
                    try loadKeys(in: transaction, tables, coding.cipher)
                    try checkCompression(in: transaction, tables, coding.compression)
                    onInspect(try? readCounters(in: transaction, tables), Set(tables.keys))
                    return access == .readWrite
                })
        } catch EngineError.missingTable where options.access != .readOnly {
            // When a file is opened for writing, a missing table is created unless the file's format forbids changes.
            throw StoreError.readOnlyFormat
        }
    }

    private static func writeFirstRecords(
        _ transaction: inout LarderEngine.WriteTransaction, _ tables: Tables, id: UUIDBytes, _ cipher: StoreCipher?
    ) throws {
        var format = FormatRecord(storeID: id, createdBy: "Larder 0.9")
        if let cipher { try transaction.setKeys(cipher.create(id), &format, in: tables) }
        try transaction.setMeta(FormatRecord.key, format, in: tables)
        try transaction.setMeta(CountersRecord.key, CountersRecord(), in: tables)
    }
}
