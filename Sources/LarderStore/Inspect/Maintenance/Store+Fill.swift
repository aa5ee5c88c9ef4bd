internal import LarderEngine
package import LarderFormat

extension Store {
    /// Makes a store at `path`, where none may exist, from whole records, such as those of a dump.
    ///
    /// Records are stored as they are, their checksums included; ``verify(_:progress:_:)`` checks their content. Those of
    /// an encrypted store, whose values are plain, make a plain store: its responses and collections get other keys. The
    /// call is not atomic: build the store elsewhere and rename it. When this throws, `path` holds remains to be removed.
    /// Blocks.
    ///
    /// - Throws: ``StoreError/notAStore`` when the records hold no format record or no counters;
    ///   ``StoreError/unsupportedFormat(_:)`` or ``StoreError/readOnlyFormat`` when this software cannot read or write
    ///   the version; ``StoreError/encryption(_:)`` for records of an encrypted store whose values are encrypted;
    ///   ``StoreError/damaged(table:reason:)``; ``EngineError``; the errors of `fill`.
    package static func make(at path: String, fill: (inout StoreFiller) throws -> Void) throws {
        let environment = try Environment.open(path: path, options: EnvironmentOptions(tables: Tables.names))
        do {
            let tables = Tables(environment)
            var filler = StoreFiller(environment, tables)
            try fill(&filler)
            try filler.flush()
            let format = try environment.read { transaction in
                guard let record = try tables.format(in: transaction) else { throw StoreError.notAStore }
                let access = try FormatAccess.of(record)
                if access == .readOnly { throw StoreError.readOnlyFormat }
                do {
                    _ = try tables.counters(in: transaction)
                } catch StoreError.damaged where record.features.isSealed {
                    throw StoreError.encryption(.keyMissing)
                }
                return record
            }
            if format.features.isSealed {
                var keys = ReadableKeys(environment, tables)
                try keys.convert(format)
            }
        } catch {
            try? environment.close()
            throw error
        }
        try environment.close()
    }
}

extension FormatAccess {
    fileprivate static func of(_ record: FormatRecord) throws(StoreError) -> FormatAccess {
        do throws(FormatError) {
            return try record.access()
        } catch {
            throw .unsupportedFormat(error)
        }
    }
}

/// The writer of the records of a new store, table by table, each table's in key order.
package struct StoreFiller {
    /// Bytes of keys and values in one commit.
    private static let batch = 4 << 20

    private let environment: Environment
    private let tables: Tables
    private var table = TableName.meta
    private var waiting: [RawRecord] = []
    private var size = 0

    init(_ environment: Environment, _ tables: Tables) {
        self.environment = environment
        self.tables = tables
    }

    /// Adds a record behind all others of its table.
    ///
    /// - Throws: ``EngineError``; ``EngineError/keyExists`` when the keys of a table do not ascend, reported with the
    ///   batch the record belongs to.
    package mutating func append(_ record: RawRecord, to name: TableName) throws {
        if name != table || size >= Self.batch {
            try flush()
            table = name
        }
        size += record.key.count + record.value.count
        waiting.append(record)
    }

    /// Commits the added records.
    ///
    /// - Throws: as ``append(_:to:)``.
    package mutating func flush() throws {
        if waiting.isEmpty { return }
        try environment.writeBlocking { [waiting, target = tables[table]] transaction in
            for record in waiting {
                let isAscending = try transaction.append(
                    record.value.rawSpan, forKey: record.key.rawSpan, in: target)
                if !isAscending { throw EngineError.keyExists }
            }
        }
        waiting.removeAll(keepingCapacity: true)
        size = 0
    }
}
