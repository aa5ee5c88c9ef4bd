internal import LarderEngine
internal import LarderFormat

/// A record whose key has another form in an encrypted store than in a plain one. FORMAT.md, "Sealed values".
struct RenamedRecord {
    let table: TableName
    let key: [UInt8]
    let value: [UInt8]

    /// The bytes of key and value.
    var size: Int64 { Int64(key.count + value.count) }

    private init(_ body: [UInt8], _ key: [UInt8], _ table: TableName) {
        (self.table, self.key) = (table, key)
        value = Record.seal(body: body.rawSpan, key: key.rawSpan, seed: table.seed)
    }

    /// The records of a response: itself, and its tags.
    static func records(of record: ResponseRecord, variant: Int64, _ texts: KeyTexts) throws -> [RenamedRecord] {
        let place = ResponseAddress(key: record.key, variant: variant, texts)
        let tag = ResponseIndexRecord(blob: record.blob).encode()
        let key = try Transaction.key { try ResponseKey.response(place).append(to: &$0) }
        return try [RenamedRecord(record.encode(), key, .responses)]
            + ResponseEntry(place: place, record: record).indexKeys(texts).map { index in
                RenamedRecord(tag, try Transaction.key { try index.append(to: &$0) }, .responses)
            }
    }

    /// The record with the number of a collection.
    static func record(of name: CollectionName, number: Int64, _ texts: KeyTexts) throws -> RenamedRecord {
        let key = try Transaction.key { try CollectionKey.append(name: name, texts, to: &$0) }
        return RenamedRecord(CollectionNumberRecord(number: number).encode(), key, .collections)
    }
}

/// The conversion of the records of an encrypted store, whose values are plain already, to those of a plain store.
struct ReadableKeys {
    private let environment: Environment
    private let tables: Tables
    /// The bytes by which all records but those of `meta` have grown.
    private var grown: Int64 = 0

    /// The most records that one commit replaces.
    private static let batch = 1_000

    init(_ environment: Environment, _ tables: Tables) { (self.environment, self.tables) = (environment, tables) }

    /// Replaces the records whose keys have another form, and marks the store as plain.
    mutating func convert(_ format: FormatRecord) throws {
        let tables = tables
        try replaceRecords(of: .responses) { entry, _ in
            if case .tag = try? ResponseKey(decoding: entry.key) { [] } else { nil }
        }
        try replaceRecords(of: .responses) { entry, _ in
            guard case .response(let place) = try? ResponseKey(decoding: entry.key),
                let record = Tables.readable(entry)
            else { return nil }
            return try RenamedRecord.records(of: record, variant: place.variant, tables.texts)
        }
        try replaceRecords(of: .collections) { entry, view in
            guard case .name = try? CollectionKey(decoding: entry.key),
                let body = try? Tables.body(of: entry.value, key: entry.key, table: .collections),
                let number = try? CollectionNumberRecord(decoding: body).number,
                let name = try? tables.collection(number: number, in: view)?.name
            else { return nil }
            return [try RenamedRecord.record(of: name, number: number, tables.texts)]
        }
        try environment.writeBlocking { [grown] transaction in
            var (format, counters) = (format, try tables.counters(in: transaction.reader))
            format.features.isSealed = false
            counters.storedSize += grown
            try transaction.setMeta(FormatRecord.key, format, in: tables)
            try transaction.setMeta(CountersRecord.key, counters, in: tables)
            let keys = KeysRecord.key
            _ = try transaction.remove(keys.rawSpan, in: tables.meta)
        }
    }

    /// Replaces each record of a table by those that `records` makes of it, in commits of bounded size.
    ///
    /// - Parameter records: returns nil for a record that stays, as does one that would have the same key.
    private mutating func replaceRecords(
        of name: TableName, by records: (borrowing Entry, ReadTransaction) throws -> [RenamedRecord]?
    ) throws {
        var last: [UInt8]? = []
        while let start = last {
            var replaced: [(key: [UInt8], size: Int, by: [RenamedRecord])] = []
            last = nil
            try environment.read { view in
                try tables.forEachRaw(name, prefix: [], from: start, in: view) { entry in
                    let key = [UInt8](copying: entry.key)
                    if replaced.count == Self.batch {
                        last = key
                        return false
                    }
                    if let new = try records(entry, view), new.first?.key != key {
                        replaced.append((key, key.count + entry.value.byteCount, new))
                    }
                    return true
                }
            }
            let table = tables[name]
            try environment.writeBlocking { transaction in
                for record in replaced {
                    _ = try transaction.remove(record.key.rawSpan, in: table)
                    for new in record.by { try transaction.set(new.value.rawSpan, forKey: new.key.rawSpan, in: table) }
                }
            }
            for record in replaced { grown += record.by.reduce(0) { $0 + $1.size } - Int64(record.size) }
        }
    }
}
