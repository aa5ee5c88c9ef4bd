import LarderEngine
import LarderFormat

/// The three tables of a store of keys, and how their keys are made.
///
/// docs/internals/idempotency.md, "Tables".
struct KeyTables: Sendable {
    static let metaName = "larder.meta"
    static let keysName = "larder.keys"
    static let expiryName = "larder.expiry"
    static let names = [metaName, keysName, expiryName]
    /// What the tables of the host must not begin with.
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

    /// The key of an answer.
    static func answerKey(_ key: IdempotencyKey) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: key.account)
        writer.append(text: key.text)
        return writer.bytes
    }

    /// The key of the index entry by which an answer is found when it has expired.
    static func expiryKey(_ expiresAt: Int64, _ key: IdempotencyKey) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: expiresAt)
        writer.append(text: key.account)
        writer.append(text: key.text)
        return writer.bytes
    }

    /// Sorts before every key of the tables.
    static let lowestKey: [UInt8] = [0]

    /// Takes an index entry apart, after its checksum was verified.
    func parse(expiry entry: borrowing Entry) throws(FormatError) -> (expiresAt: Int64, answerKey: [UInt8]) {
        _ = try Record.open(entry.value, key: entry.key, seed: Self.seed(expiry.name))
        var reader = TupleReader(entry.key)
        let expiresAt = try reader.integer()
        var answerKey = TupleWriter()
        answerKey.append(text: try reader.text())
        answerKey.append(text: try reader.text())
        try reader.end()
        return (expiresAt, answerKey.bytes)
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

    /// Writes the record by which a store is known. In the first transaction of a new store.
    static func writeFormat(_ transaction: inout WriteTransaction, _ meta: Table) throws {
        var body = TupleWriter()
        body.append(text: magic)
        body.append(integer: format)
        let value = seal(body.bytes, key: formatKey, table: meta)
        try transaction.set(value.rawSpan, forKey: formatKey.rawSpan, in: meta)
    }

    /// Confirms that the store is one of keys, and of this format.
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

    /// The answer under `key`, expired ones included.
    ///
    /// - Throws: ``IdempotencyError/damaged(_:)``; what the engine throws.
    func record(_ key: [UInt8], in transaction: ReadTransaction) throws -> AnswerRecord? {
        guard let value = try transaction.value(forKey: key.rawSpan, in: keys) else { return nil }
        do throws(FormatError) {
            return try AnswerRecord(
                decoding: Record.open(
                    value, key: key.rawSpan, seed: Self.seed(keys.name), codec: RecordHeader.tupleCodec))
        } catch {
            throw IdempotencyError.damaged(error)
        }
    }
}
