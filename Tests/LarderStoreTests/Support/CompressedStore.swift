// CompressedStore: options, rows that compress well with a dictionary, and a look at how rows are stored.

#if Compression
import LarderCompression
import LarderFormat

@testable import LarderEngine
@testable import LarderStore

extension StoreOptions {
    /// Options that compress the rows of `groups`.
    static func compressed(_ groups: Set<String> = ["translations"]) -> StoreOptions {
        var options = StoreOptions()
        options.compression = .zstd(groups: groups)
        return options
    }
}

/// A payload of about `size` bytes that looks like a server's: the names of members repeat, their values hardly do.
func translationPayload(_ number: Int, size: Int = 150) -> [UInt8] {
    let words = ["mercy", "river", "light", "morning", "people", "garden", "patience", "path", "book", "heart", "sea"]
    var generator = SeededGenerator(seed: UInt64(number))
    var text = ""
    while text.utf8.count < size - 60 { text += words[Int.random(in: 0..<words.count, using: &generator)] + " " }
    return bytes("{\"id\":\(number),\"resource_id\":19,\"verse_key\":\"\(number):1\",\"text\":\"\(text)\"}")
}

/// Bytes that nothing makes smaller.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}

extension Store {
    /// Replaces the rows of a resource by `count` payloads of ``translationPayload(_:size:)``.
    func fillTranslations(_ count: Int = 400, in resource: ResourceKey = translations) async throws {
        try await replace(resource, with: (1...count).map { (key($0, resource), translationPayload($0)) })
    }

    /// The rows as they are before they are sealed: their keys, their values, and the dictionaries that these name; nil
    /// for a plain row.
    func storedRows() throws -> [(key: [UInt8], value: [UInt8], dictionary: UInt32?)] {
        try environment.read { view in
            var rows: [(key: [UInt8], value: [UInt8], dictionary: UInt32?)] = []
            try view.withCursor(in: tables.rows) { cursor in
                while let entry = try cursor.next() {
                    guard try RowKeyCoding.decode(entry.key).row != nil else { continue }
                    let value = entry.openedValue
                    let stated = CompressedValue(of: value)
                    rows.append(([UInt8](copying: entry.key), [UInt8](copying: value), stated?.dictionary))
                }
            }
            return rows
        }
    }

    /// The numbers of the dictionaries that are stored, and those that the record of them names.
    func storedDictionaries() throws -> (found: [UInt32], named: [Int64]) {
        try environment.read { view in
            var found: [UInt32] = []
            try tables.forEachRaw(.meta, prefix: DictionaryRecord.prefix, in: view) { entry in
                let body = try Tables.body(of: entry.value, key: entry.key, table: .meta)
                if let number = try DictionaryRecord(decoding: body).number { found.append(number) }
                return true
            }
            return (found, try tables.dictionaries(in: view).entries.map(\.number))
        }
    }

    /// Every record of every table but `meta`, plain.
    func plainRecords() throws -> [RawRecord] {
        try environment.read { view in
            var records: [RawRecord] = []
            for name in TableName.allCases where name != .meta {
                try view.withCursor(in: tables[name]) { cursor in
                    while let entry = try cursor.next() {
                        records.append(
                            RawRecord(
                                table: name, key: [UInt8](copying: entry.key), value: [UInt8](copying: entry.value)))
                    }
                }
            }
            return records
        }
    }

    /// Replaces the stored value of a row, as damage does.
    func overwriteRow(_ key: [UInt8], _ value: [UInt8]) throws {
        let rows = tables.rows
        try environment.writeBlocking(durability: .relaxed) { transaction in
            try transaction.set(value.rawSpan, forKey: key.rawSpan, in: rows)
        }
    }

    /// The payloads of all rows of the sample's type in a resource, by key.
    func payloads(of resource: ResourceKey = translations) throws -> [String: [UInt8]] {
        try read { view in
            var found: [String: [UInt8]] = [:]
            for row in try view.rows(in: .type("translation", of: resource)) { found[row.key.key] = row.payload }
            return found
        }
    }
}
#endif
