// SQLDatabase: SQLite by its C calls, with statements of the caller's.

import CRawSQLite
import LarderQuery

/// SQLite by its C calls, set up to be fast: WAL, a cache of 64 MiB, the file mapped; commits are synced.
final class SQLDatabase {
    fileprivate let connection: OpaquePointer

    init(path: String) throws {
        var opened: OpaquePointer?
        try Self.check(sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil))
        guard let opened else { throw PeerError.code(0) }
        connection = opened
        try execute(
            """
            PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536; PRAGMA mmap_size=4294967296;
            """)
    }

    deinit { sqlite3_close_v2(connection) }

    func execute(_ statements: String) throws {
        let code = sqlite3_exec(connection, statements, nil, nil, nil)
        if code != SQLITE_OK { throw PeerError.wrongResult(String(cString: sqlite3_errmsg(connection))) }
    }

    /// Runs `body` in one transaction.
    func transact(_ body: () throws -> Void) throws {
        try execute("BEGIN")
        try body()
        try execute("COMMIT")
    }

    fileprivate static func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw PeerError.code(code) }
    }
}

/// A statement of a database, prepared once.
final class SQLStatement {
    private let database: SQLDatabase
    private let statement: OpaquePointer

    init(_ database: SQLDatabase, _ text: String) throws {
        self.database = database
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            database.connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw PeerError.wrongResult(String(cString: sqlite3_errmsg(database.connection)))
        }
        statement = prepared
    }

    deinit { sqlite3_finalize(statement) }

    /// Runs the statement with these values, and passes each row to `body`.
    func run(_ values: [SQLValue], _ body: (SQLStatement) -> Void = { _ in }) throws {
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1)) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return
            case SQLITE_ROW: body(self)
            case let code: throw PeerError.code(code)
            }
        }
    }

    var columnCount: Int32 { sqlite3_column_count(statement) }

    func integer(at column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// The sum of the values of the row: whole numbers, and the bytes of texts.
    var sum: UInt64 {
        var sum: UInt64 = 0
        for column in 0..<columnCount {
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: sum &+= UInt64(bitPattern: integer(at: column))
            case SQLITE_NULL: break
            default: sum &+= use(bytes(at: column))
            }
        }
        return sum
    }

    private func bytes(at column: Int32) -> UnsafeRawBufferPointer {
        // The order of the calls matters: the length is that of the text.
        let start = sqlite3_column_text(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    private func bind(_ value: SQLValue, _ index: Int32) throws {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let value): sqlite3_bind_int64(statement, index, value)
            case .real(let value): sqlite3_bind_double(statement, index, value)
            case .text(let text): sqlite3_bind_text(statement, index, text, -1, transient)
            case .blob(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
            }
        try SQLDatabase.check(code)
    }
}

extension SQLValue {
    /// What ``SQLStatement/sum`` adds for it.
    var sum: UInt64 {
        switch self {
        case .null, .real: return 0
        case .integer(let value): return UInt64(bitPattern: value)
        case .text(var text): return text.withUTF8 { use(UnsafeRawBufferPointer($0)) }
        case .blob(let bytes): return bytes.withUnsafeBytes { use($0) }
        }
    }
}
