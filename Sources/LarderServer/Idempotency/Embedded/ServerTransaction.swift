import LarderEngine
import LarderFormat

/// The transaction that a handler's effect, the key and the response share, over the host's own byte tables.
///
/// It is valid only inside a synchronous closure. Its changes are stored together with the response, or not at all.
/// Tables are named when the store is opened.
public struct ServerTransaction: ~Copyable {
    private var engine: WriteTransaction
    private let tables: [String: Table]

    private init(_ engine: consuming WriteTransaction, _ tables: [String: Table]) {
        self.engine = engine
        self.tables = tables
    }

    /// Runs `body` with a transaction that wraps `engine`.
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

    /// Returns the value under `key`, or nil.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The name of the table.
    /// - Throws: ``IdempotencyError/unknownTable(_:)``; engine errors.
    public borrowing func value(forKey key: [UInt8], in table: String) throws -> [UInt8]? {
        guard let value = try engine.reader.value(forKey: key.rawSpan, in: tables.named(table)) else { return nil }
        return [UInt8](copying: value)
    }

    /// Stores `value` under `key`, replacing the old value.
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

    /// Returns the number of keys in `table`, in constant time.
    ///
    /// - Throws: As ``value(forKey:in:)``.
    public borrowing func count(of table: String) throws -> Int {
        try engine.reader.statistics(of: tables.named(table)).entries
    }

    /// Calls `body` with the entries from `key` on, in the order of their bytes, until it returns false.
    ///
    /// - Parameters:
    ///   - key: The first key to include, 1 to 511 bytes; nil for all.
    ///   - table: The name of the table.
    ///   - body: Receives the entries; returns whether to go on.
    /// - Throws: The error of `body`; else as ``value(forKey:in:)``.
    public borrowing func forEach(
        from key: [UInt8]? = nil, in table: String, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try engine.reader.forEach(from: key, in: tables.named(table), body)
    }
}
