import LarderEngine
import LarderFormat

/// A snapshot of the host's tables, unaffected by later commits; lent to a synchronous closure.
public struct ServerView: ~Escapable {
    private let engine: ReadTransaction
    private let tables: [String: Table]

    @_lifetime(copy engine)
    fileprivate init(_ engine: ReadTransaction, _ tables: [String: Table]) {
        self.engine = engine
        self.tables = tables
    }

    /// The value under `key`, or nil.
    ///
    /// - Parameter key: 1 to 511 bytes.
    /// - Throws: ``IdempotencyError/unknownTable(_:)``; what the engine throws.
    public borrowing func value(forKey key: [UInt8], in table: String) throws -> [UInt8]? {
        guard let value = try engine.value(forKey: key.rawSpan, in: tables.named(table)) else { return nil }
        return [UInt8](copying: value)
    }

    /// How many keys `table` has. In constant time.
    public borrowing func count(of table: String) throws -> Int {
        try engine.statistics(of: tables.named(table)).entries
    }

    /// The entries from `key` on in the order of their bytes, until `body` says false.
    ///
    /// - Parameter key: The first one wanted, 1 to 511 bytes; nil for all.
    public borrowing func forEach(
        from key: [UInt8]? = nil, in table: String, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        try engine.forEach(from: key, in: tables.named(table), body)
    }
}

extension LMDBIdempotencyStore {
    /// Lends a snapshot of the host's tables to `body`, on the caller's thread; no write waits for it.
    ///
    /// - Throws: What `body` throws; what the engine throws.
    public func read<Result>(_ body: (borrowing ServerView) throws -> Result) throws -> Result {
        try environment.read { transaction in try body(ServerView(transaction, hostTables)) }
    }
}

extension [String: Table] {
    /// The table that the host has named so.
    func named(_ name: String) throws(IdempotencyError) -> Table {
        guard let table = self[name] else { throw .unknownTable(name) }
        return table
    }
}

extension ReadTransaction {
    /// Walks over copies of the entries from `key` on, until `body` says false.
    func forEach(
        from key: [UInt8]?, in table: Table, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
    ) throws {
        let start = key ?? KeyTables.lowestKey
        try withCursor(in: table) { cursor in
            var isWanted = false
            if let entry = try cursor.seek(start.rawSpan) {
                isWanted = try body([UInt8](copying: entry.key), [UInt8](copying: entry.value))
            }
            while isWanted {
                guard let entry = try cursor.next() else { return }
                isWanted = try body([UInt8](copying: entry.key), [UInt8](copying: entry.value))
            }
        }
    }
}
