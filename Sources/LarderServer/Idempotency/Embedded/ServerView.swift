import LarderEngine
import LarderFormat

/// A read view of the host's tables, unaffected by later commits; valid only inside a synchronous closure.
public struct ServerView: ~Escapable {
    private let engine: ReadTransaction
    private let tables: [String: Table]

    @_lifetime(copy engine)
    fileprivate init(_ engine: ReadTransaction, _ tables: [String: Table]) {
        self.engine = engine
        self.tables = tables
    }

    /// Returns the value under `key`, or nil.
    ///
    /// - Parameters:
    ///   - key: 1 to 511 bytes.
    ///   - table: The name of the table.
    /// - Throws: ``IdempotencyError/unknownTable(_:)``; engine errors.
    public borrowing func value(forKey key: [UInt8], in table: String) throws -> [UInt8]? {
        guard let value = try engine.value(forKey: key.rawSpan, in: tables.named(table)) else { return nil }
        return [UInt8](copying: value)
    }

    /// Returns the number of keys in `table`, in constant time.
    ///
    /// - Throws: As ``value(forKey:in:)``.
    public borrowing func count(of table: String) throws -> Int {
        try engine.statistics(of: tables.named(table)).entries
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
        try engine.forEach(from: key, in: tables.named(table), body)
    }
}

extension LMDBIdempotencyStore {
    /// Runs `body` with a read view of the host's tables, on the caller's thread; no write waits for it.
    ///
    /// - Throws: The error of `body`; engine errors.
    public func read<Result>(_ body: (borrowing ServerView) throws -> Result) throws -> Result {
        try environment.read { transaction in try body(ServerView(transaction, hostTables)) }
    }
}

extension [String: Table] {
    /// Returns the table that the host named `name`.
    func named(_ name: String) throws(IdempotencyError) -> Table {
        guard let table = self[name] else { throw .unknownTable(name) }
        return table
    }
}

extension ReadTransaction {
    /// Calls `body` with copies of the entries from `key` on, until it returns false.
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
