internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Throws where a file that is being opened may have compressed rows, and nothing decompresses them.
    ///
    /// - Throws: ``StoreError/compressionMissing``; as ``readFormat(in:_:)``.
    static func checkCompression(
        in transaction: ReadTransaction, _ tables: [String: Table], _ compression: RowCompression?
    ) throws {
        let isCompressed = try format(in: transaction, tables).features.isCompressed
        if isCompressed, compression == nil { throw StoreError.compressionMissing }
    }

    /// Throws unless an open file, which another open in this process may have opened before, can be decompressed.
    ///
    /// - Throws: as ``checkCompression(in:_:_:)``; `EngineError.openWithOtherOptions` where the other open decompresses
    ///   nothing.
    static func checkCompression(of environment: Environment, _ compression: RowCompression?) throws {
        try environment.read { transaction in
            try checkCompression(in: transaction, environment.tables, compression)
            let isCompressed = try format(in: transaction, environment.tables).features.isCompressed
            // A compressed file that another open reads as it is stored, such as for its size.
            if isCompressed, environment.compression == nil { throw EngineError.openWithOtherOptions }
        }
    }

    /// Allows rows to be compressed where the file is marked for it, and marks it where no other process has it open.
    ///
    /// A process that has it open by now would not look for the mark any more.
    static func enableCompression(of environment: Environment) throws {
        guard let compression = environment.compression, compression.hasGroups else { return }
        let tables = Tables(environment)
        var isMarked = try environment.read { transaction in
            try tables.format(in: transaction)?.features.isCompressed == true
        }
        if !isMarked, environment.wasOpenedAlone {
            try environment.writeBlocking { transaction in
                guard var format = try tables.format(in: transaction.reader) else { throw StoreError.notAStore }
                format.features.isCompressed = true
                try transaction.setMeta(FormatRecord.key, format, in: tables)
            }
            isMarked = true
        }
        if isMarked { compression.enable() }
    }

    private static func format(
        in transaction: ReadTransaction, _ tables: [String: Table]
    ) throws -> FormatRecord {
        let key = FormatRecord.key
        guard let meta = tables[TableName.meta.rawValue],
            let value = try transaction.value(forKey: key.rawSpan, in: meta)
        else { throw StoreError.notAStore }
        return try formatRecord(of: value)
    }
}

extension Environment {
    /// The compression of rows; nil where none is compressed.
    var compression: RowCompression? { options.decompressor as? RowCompression }
}
