// SQLite: SQLite by its C calls, set up to be fast: WAL, a cache of 64 MiB, the file mapped, statements prepared once.

import CRawSQLite

/// SQLite by its C calls, set up to be fast: WAL, a cache of 64 MiB, the file mapped, statements prepared once.
final class SQLite {
    private let database: OpaquePointer
    private let select: OpaquePointer
    private let scanAll: OpaquePointer
    private let insert: OpaquePointer

    /// Opens the file at `path`; commits are synced.
    init(path: String) throws {
        var opened: OpaquePointer?
        try Self.check(sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil))
        guard let opened else { throw PeerError.code(0) }
        database = opened
        for statement in [
            "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA cache_size=-65536",
            "PRAGMA mmap_size=4294967296",
            """
            CREATE TABLE IF NOT EXISTS rows("group" TEXT, id INTEGER, type TEXT, key INTEGER, updated_at INTEGER,
            payload BLOB, PRIMARY KEY("group", id, type, key)) WITHOUT ROWID
            """,
        ] {
            try Self.check(sqlite3_exec(opened, statement, nil, nil, nil))
        }
        let path = "\"group\"=?1 AND id=?2 AND type=?3"
        select = try Self.prepare(opened, "SELECT payload FROM rows WHERE \(path) AND key=?4")
        scanAll = try Self.prepare(opened, "SELECT payload FROM rows WHERE \(path) ORDER BY key")
        insert = try Self.prepare(opened, "INSERT OR REPLACE INTO rows VALUES(?1,?2,?3,?4,?5,?6)")
        for statement in [select, scanAll, insert] {
            try Self.bind(statement, 1, TranslationRows.group)
            try Self.check(sqlite3_bind_int64(statement, 2, 1))
            try Self.bind(statement, 3, TranslationRows.type)
        }
    }

    deinit {
        for statement in [select, scanAll, insert] { sqlite3_finalize(statement) }
        sqlite3_close(database)
    }

    func execute(_ statement: String) throws {
        try Self.check(sqlite3_exec(database, statement, nil, nil, nil))
    }

    /// Lends the payload under `key` to `body`.
    @inline(__always)
    func get(_ key: Int, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        try Self.check(sqlite3_bind_int64(select, 4, Int64(key)))
        guard sqlite3_step(select) == SQLITE_ROW else { throw PeerError.code(SQLITE_NOTFOUND) }
        body(Self.blob(select))
        sqlite3_reset(select)
    }

    /// Lends every payload to `body`, in key order.
    @inline(__always)
    func scan(_ body: (UnsafeRawBufferPointer) -> Void) throws {
        defer { sqlite3_reset(scanAll) }
        while true {
            let code = sqlite3_step(scanAll)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw PeerError.code(code) }
            body(Self.blob(scanAll))
        }
    }

    /// Puts one row, in a transaction of its own unless one is open.
    func put(_ rows: TranslationRows, _ row: Int) throws {
        try Self.check(sqlite3_bind_int64(insert, 4, Int64(row + 1)))
        try Self.check(sqlite3_bind_int64(insert, 5, TranslationRows.updatedAt))
        try rows.payload(row).withUnsafeBytes { payload in
            try Self.check(sqlite3_bind_blob(insert, 6, payload.baseAddress, Int32(payload.count), nil))
            guard sqlite3_step(insert) == SQLITE_DONE else { throw PeerError.code(SQLITE_ERROR) }
        }
        sqlite3_reset(insert)
    }

    /// The number of rows.
    func count() throws -> Int {
        let statement = try Self.prepare(database, "SELECT count(*) FROM rows")
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw PeerError.code(SQLITE_ERROR) }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// Puts all rows in one transaction.
    func load(_ rows: TranslationRows) throws {
        try execute("BEGIN")
        for row in 0..<rows.count { try put(rows, row) }
        try execute("COMMIT")
    }

    private static func blob(_ statement: OpaquePointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: Int(sqlite3_column_bytes(statement, 0)))
    }

    private static func bind(_ statement: OpaquePointer, _ index: Int32, _ text: String) throws {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        try check(sqlite3_bind_text(statement, index, text, -1, transient))
    }

    private static func prepare(_ database: OpaquePointer, _ text: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw PeerError.code(0) }
        return statement
    }

    private static func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw PeerError.code(code) }
    }
}
