import LarderEngine
import LarderFormat

/// The three tables of a key store, and the encoding of their keys.
///
/// docs/internals/idempotency.md, "Tables".
struct KeyTables: Sendable {
    static let metaName = "larder.meta"
    static let keysName = "larder.keys"
    static let expiryName = "larder.expiry"
    static let names = [metaName, keysName, expiryName]
    /// The prefix that is not allowed for the tables of the host.
    static let reservedPrefix = "larder."
    /// The format that this software reads and writes.
    static let format: Int64 = 1
    private static let magic = "larder-idempotency"

    let meta: Table
    let keys: Table
    let expiry: Table

    init(_ environment: Environment) {
        meta = environment.table(Self.metaName)
        keys = environment.table(Self.keysName)
        expiry = environment.table(Self.expiryName)
    }

    /// Returns the key of a response record.
    static func responseKey(_ key: IdempotencyKey) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: key.account)
        writer.append(text: key.text)
        return writer.bytes
    }

    /// Returns the key of the index entry that leads to an expired response record.
    static func expiryKey(_ expiresAt: Int64, _ key: IdempotencyKey) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: expiresAt)
        writer.append(text: key.account)
        writer.append(text: key.text)
        return writer.bytes
    }

    /// A key that sorts before every key of the tables.
    static let lowestKey: [UInt8] = [0]

    /// Decodes an index entry after verifying its checksum.
    ///
    /// - Throws: `FormatError` when it is damaged.
    func parse(expiry entry: borrowing Entry) throws(FormatError) -> (
        expiresAt: Int64, account: String, answerKey: [UInt8]
    ) {
        _ = try Record.open(entry.value, key: entry.key, seed: Self.seed(expiry.name))
        var reader = TupleReader(entry.key)
        let expiresAt = try reader.integer()
        let account = try reader.text()
        var responseKey = TupleWriter()
        responseKey.append(text: account)
        responseKey.append(text: try reader.text())
        try reader.checkEnd()
        return (expiresAt, account, responseKey.bytes)
    }

    static func seal(_ body: [UInt8], key: [UInt8], table: Table) -> [UInt8] {
        Record.seal(body: body.rawSpan, key: key.rawSpan, seed: seed(table.name))
    }

    static func seed(_ table: String) -> UInt64 { Array(table.utf8).rawSpan.xxh64(seed: 0) }
}

extension KeyTables {
    private static var formatKey: [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "format")
        return writer.bytes
    }

    /// Writes the record that identifies a store, in the first transaction of a new store.
    static func writeFormat(_ transaction: inout WriteTransaction, _ meta: Table) throws {
        var body = TupleWriter()
        body.append(text: magic)
        body.append(integer: format)
        let value = seal(body.bytes, key: formatKey, table: meta)
        try transaction.set(value.rawSpan, forKey: formatKey.rawSpan, in: meta)
    }

    /// Checks that the store is a key store of this format.
    ///
    /// - Throws: ``IdempotencyError/notAKeyStore``, ``IdempotencyError/unsupportedFormat(_:)``,
    ///   ``IdempotencyError/damaged(_:)``; engine errors.
    static func checkFormat(_ transaction: ReadTransaction, _ meta: Table) throws {
        let key = formatKey
        guard let value = try transaction.value(forKey: key.rawSpan, in: meta) else {
            throw IdempotencyError.notAKeyStore
        }
        do throws(FormatError) {
            let body = try Record.open(value, key: key.rawSpan, seed: seed(meta.name))
            var reader = TupleReader(body)
            let word = try reader.text()
            let format = try reader.integer()
            if word != Self.magic { throw .notAStore }
            if format != Self.format { throw .newerFormat(minimumReader: format) }
        } catch .notAStore {
            throw IdempotencyError.notAKeyStore
        } catch .newerFormat(let format) {
            throw IdempotencyError.unsupportedFormat(format)
        } catch {
            throw IdempotencyError.damaged(error)
        }
    }

    /// Returns the record under `key`, even an expired one; nil when there is none.
    ///
    /// - Throws: ``IdempotencyError/damaged(_:)``; engine errors.
    func record(_ key: [UInt8], in transaction: ReadTransaction) throws -> IdempotentResponseRecord? {
        guard let value = try transaction.value(forKey: key.rawSpan, in: keys) else { return nil }
        do throws(FormatError) {
            return try IdempotentResponseRecord(
                decoding: Record.open(
                    value, key: key.rawSpan, seed: Self.seed(keys.name), codec: RecordHeader.tupleCodec))
        } catch {
            throw IdempotencyError.damaged(error)
        }
    }
}
