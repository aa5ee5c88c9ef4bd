import LarderEngine
import LarderFormat

/// The transaction that a handler's effect, the key and the answer share: byte tables of the host's own.
///
/// Lent to a synchronous closure; what it changes is on the medium together with the answer, or not at all. Tables are
/// named when the store is opened.
public struct ServerTransaction: ~Copyable {
    private var engine: WriteTransaction
    private let tables: [String: Table]

    private init(_ engine: consuming WriteTransaction, _ tables: [String: Table]) {
        self.engine = engine
        self.tables = tables
    }

    /// Wraps `engine` for the length of `body`.
    static func run<Result>(
        _ engine: inout WriteTransaction, _ tables: [String: Table],
        _ body: (inout ServerTransaction) throws -> Result
    ) throws -> Result {
        var transaction = ServerTransaction(engine, tables)
        let outcome = Swift.Result { try body(&transaction) }
        engine = transaction.endBorrow()
        return try outcome.get()
    }

    private consuming func endBorrow() -> WriteTransaction { engine }

    /// The value under `key`, or nil.
    ///
    /// - Parameter key: 1 to 511 bytes.
    /// - Throws: ``IdempotencyError/unknownTable(_:)``; what the engine throws.
    public borrowing func value(forKey key: [UInt8], in table: String) throws -> [UInt8]? {
        guard let value = try engine.reader.value(forKey: key.rawSpan, in: tables.named(table)) else { return nil }
        return [UInt8](copying: value)
    }

    /// Stores `value` under `key`, replacing what was there.
    ///
    /// - Throws: As ``value(forKey:in:)``.
    public mutating func set(_ value: [UInt8], forKey key: [UInt8], in table: String) throws {
        try engine.set(value.rawSpan, forKey: key.rawSpan, in: tables.named(table))
    }

    /// Removes `key`.
    ///
    /// - Returns: false when it was not there.
    /// - Throws: As ``value(forKey:in:)``.
    @discardableResult
    public mutating func remove(_ key: [UInt8], in table: String) throws -> Bool {
        try engine.remove(key.rawSpan, in: tables.named(table))
    }

    /// How many keys `table` has. In constant time.
    public borrowing func count(of table: String) throws -> Int {
        try engine.reader.statistics(of: tables.named(table)).entries
    }

    /// The entries from `key` on in the order of their bytes, until `body` says false.
    ///
    /// - Parameter key: The first one wanted, 1 to 511 bytes; nil for all.
    public borrowing func forEach(
        from key: [UInt8]? = nil, in table: String, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try engine.reader.forEach(from: key, in: tables.named(table), body)
    }
}
