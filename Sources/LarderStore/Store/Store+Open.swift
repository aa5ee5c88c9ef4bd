internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Opens the store in the directory at `path`, made when it does not exist.
    ///
    /// A process that opens the same directory twice with the same options shares one environment. What a killed
    /// process was staging becomes garbage and is reclaimed in the background, where accepted writes that it had yet to
    /// release are released too. When more is stored than ``StoreOptions/sizeCap`` allows, what may go is evicted before the
    /// first write. Blocks while another process opens or closes the store.
    ///
    /// - Throws: ``EngineError`` (its cases under opening), ``StoreError/notAStore``,
    ///   ``StoreError/unsupportedFormat(_:)``, ``StoreError/damaged(table:reason:)``.
    public static func open(at path: String, options: StoreOptions = StoreOptions(), host: HostServices) throws -> Store
    {
        let environment = try Environment.open(path: path, options: options.environment) { transaction, tables in
            try writeFirstRecords(&transaction, Tables(tables), id: host.makeID())
        }
        do {
            let access = try readFormat(environment)
            let isReadOnly = options.access == .readOnly || access == .readOnly
            let store = try Store(
                environment: environment, host: host, isReadOnly: isReadOnly, sizeCap: options.sizeCap)
            if !isReadOnly {
                if environment.wasOpenedAlone { store.shared.recoverOnce { store.recover() } }
                store.fitToCap()
            }
            return store
        } catch {
            try? environment.close()
            throw error
        }
    }

    private static func writeFirstRecords(
        _ transaction: inout LarderEngine.WriteTransaction, _ tables: Tables, id: UUIDBytes
    ) throws {
        let format = FormatRecord(storeID: id, createdBy: "Larder 0.1")
        for (key, body) in [(FormatRecord.key, format.encode()), (CountersRecord.key, CountersRecord().encode())] {
            let value = Record.seal(body: body.rawSpan, key: key.rawSpan, seed: TableName.meta.seed)
            try transaction.set(value.rawSpan, forKey: key.rawSpan, in: tables.meta)
        }
    }

    static func readFormat(_ environment: Environment) throws -> FormatAccess {
        let tables = Tables(environment.tables)
        return try environment.read { transaction in
            do {
                guard let record = try tables.format(in: transaction) else { throw StoreError.notAStore }
                do throws(FormatError) {
                    return try record.access()
                } catch {
                    throw StoreError.unsupportedFormat(error)
                }
            } catch StoreError.damaged(_, .notAStore) {
                throw StoreError.notAStore
            } catch StoreError.damaged(_, .newerFormat(let minimumReader)) {
                // Not damage: the record says so before anything that another version may have otherwise.
                throw StoreError.unsupportedFormat(.newerFormat(minimumReader: minimumReader))
            } catch StoreError.damaged(_, .olderFormat(let minimumReader)) {
                throw StoreError.unsupportedFormat(.olderFormat(minimumReader: minimumReader))
            }
        }
    }
}
