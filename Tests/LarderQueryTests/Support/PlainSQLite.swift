// PlainSQLite: an SQLite database in memory to compare query results with.

import CSQLite
import LarderQuery

/// A plain SQLite database in memory, the reference for the results of queries. It shares no code with the library.
@safe
final class PlainSQLite {
    struct Failure: Error {
        let message: String
    }

    private let handle: OpaquePointer

    init() {
        var opened: OpaquePointer?
        precondition(unsafe sqlite3_open(":memory:", &opened) == SQLITE_OK)
        guard let connection = unsafe opened else { preconditionFailure("no connection") }
        unsafe handle = connection
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Every row of a statement's answer.
    @discardableResult
    func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [[SQLValue]] {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        defer { unsafe sqlite3_finalize(statement) }
        for (index, argument) in arguments.enumerated() { unsafe bind(argument, to: statement, Int32(index) + 1) }
        var rows: [[SQLValue]] = []
        while true {
            let code = unsafe sqlite3_step(statement)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw failure }
            let count = unsafe sqlite3_column_count(statement)
            rows.append((0..<count).map { unsafe value(statement, $0) })
        }
    }

    private var failure: Failure { Failure(message: unsafe String(cString: sqlite3_errmsg(handle))) }

    private func bind(_ value: SQLValue, to statement: OpaquePointer?, _ index: Int32) {
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
        case .real(let number): unsafe sqlite3_bind_double(statement, index, number)
        case .text(let text): unsafe sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
        case .blob(let bytes): unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
        }
    }

    private func value(_ statement: OpaquePointer?, _ column: Int32) -> SQLValue {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_column_text(statement, column)
            let count = Int(unsafe sqlite3_column_bytes(statement, column))
            return .text(unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let start = unsafe sqlite3_column_blob(statement, column)
            let count = Int(unsafe sqlite3_column_bytes(statement, column))
            return .blob(unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }
}
