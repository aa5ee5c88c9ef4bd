import LarderEngine
import LarderFormat

// The number of keys that each account has, in a record of `larder.meta`, changed in the commit of each key.

extension LMDBIdempotencyStore {
    /// Returns the number of keys of an account, expired ones included until they are evicted.
    ///
    /// - Complexity: O(1); O(*n*) for *n* keys where the record of the number is missing or damaged.
    func keyCount(of account: String, _ engine: borrowing WriteTransaction) throws -> Int64 {
        if let count = try? tables.keyCount(of: account, in: engine.reader) { return count }
        var prefix = TupleWriter()
        prefix.append(text: account)
        var count: Int64 = 0
        try engine.reader.forEach(from: prefix.bytes, in: tables.keys) { key, _ in
            guard key.starts(with: prefix.bytes) else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Records that a key of the account is about to be added, or removed.
    func addKeyCount(_ difference: Int64, of account: String, _ engine: inout WriteTransaction) throws {
        let count = try max(0, keyCount(of: account, engine) + difference)
        let key = KeyTables.countKey(account)
        // An account without keys has no record.
        if count == 0 {
            try engine.remove(key.rawSpan, in: tables.meta)
            return
        }
        var body = TupleWriter()
        body.append(integer: count)
        let value = KeyTables.seal(body.bytes, key: key, table: tables.meta)
        try engine.set(value.rawSpan, forKey: key.rawSpan, in: tables.meta)
    }
}

extension KeyTables {
    /// Returns the key of the record with the number of an account's keys.
    static func countKey(_ account: String) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "keys")
        writer.append(text: account)
        return writer.bytes
    }

    /// Returns the recorded number of an account's keys; nil when there is none.
    ///
    /// - Throws: `FormatError` when the record is damaged; engine errors.
    fileprivate func keyCount(of account: String, in transaction: ReadTransaction) throws -> Int64? {
        let key = Self.countKey(account)
        guard let value = try transaction.value(forKey: key.rawSpan, in: meta) else { return nil }
        var reader = TupleReader(
            try Record.open(value, key: key.rawSpan, seed: Self.seed(meta.name), codec: RecordHeader.tupleCodec))
        let count = try reader.integer()
        try reader.checkEnd()
        return count
    }
}
