internal import CSQLite

/// A compiled statement.
@safe
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection
    /// The names of the columns it returns.
    let columns: [String]
    /// The same for rows of its result.
    let names: ColumnNames
    /// Whether it is a `SELECT` and changes nothing; known on a restricted connection only.
    let isReadOnlySelect: Bool
    /// The number of values to bind.
    let parameterCount: Int

    /// Compiles `sql`, which must be one statement.
    init(_ sql: String, in connection: SQLiteConnection) throws {
        let bytes = Array(sql.utf8)
        connection.hasSeenSelect = false
        let (compiled, length) = unsafe try Self.compile(bytes[...], in: connection)
        guard let statement = unsafe compiled else { throw QueryError.notOneStatement }
        unsafe handle = statement
        self.connection = connection
        let isReadOnly = unsafe sqlite3_stmt_readonly(statement) != 0
        isReadOnlySelect = isReadOnly && connection.hasSeenSelect
        unsafe columns = (0..<sqlite3_column_count(statement)).map { column in
            unsafe SQLiteConnection.string(sqlite3_column_name(statement, column))
        }
        names = ColumnNames(columns)
        parameterCount = Int(unsafe sqlite3_bind_parameter_count(statement))
        // Blanks and comments may follow, but no second statement, and nothing that does not compile.
        if length < bytes.count, !Self.isEmpty(bytes[length...], in: connection) { throw QueryError.notOneStatement }
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Whether `sql` holds no statement, and no mistake.
    private static func isEmpty(_ sql: ArraySlice<UInt8>, in connection: SQLiteConnection) -> Bool {
        guard let (compiled, _) = unsafe try? compile(sql, in: connection) else { return false }
        guard let second = unsafe compiled else { return true }
        unsafe sqlite3_finalize(second)
        return false
    }

    /// Returns the first statement in `sql`, nil when there is none, and its length in bytes.
    private static func compile(
        _ sql: ArraySlice<UInt8>, in connection: SQLiteConnection
    ) throws -> (handle: OpaquePointer?, length: Int) {
        var compiled: OpaquePointer?
        var length = sql.count
        let code = unsafe sql.withUnsafeBytes { bytes in
            let text = unsafe bytes.bindMemory(to: CChar.self)
            var tail: UnsafePointer<CChar>?
            let count = Int32(clamping: text.count)
            let code = unsafe sqlite3_prepare_v2(connection.handle, text.baseAddress, count, &compiled, &tail)
            if let start = text.baseAddress, let tail = unsafe tail { unsafe length = tail - start }
            return code
        }
        do {
            try connection.checkThrown(code)
        } catch {
            unsafe sqlite3_finalize(compiled)
            throw error
        }
        return unsafe (compiled, length)
    }

    /// Sets the parameter at `index`, from 0.
    func bind(_ value: SQLValue, at index: Int) throws(SQLiteFailure) {
        let place = Int32(index) + 1
        switch value {
        case .null: try connection.check(unsafe sqlite3_bind_null(handle, place))
        case .integer(let number): try connection.check(unsafe sqlite3_bind_int64(handle, place, number))
        case .real(let number): try connection.check(unsafe sqlite3_bind_double(handle, place, number))
        case .text(var text):
            let code = text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                    unsafe larder_bind_text(handle, place, bytes.baseAddress, Int32(clamping: bytes.count))
                }
            }
            try connection.check(code)
        case .blob(let bytes):
            let code = unsafe bytes.withUnsafeBytes { bytes in
                unsafe larder_bind_blob(handle, place, bytes.baseAddress, Int32(clamping: bytes.count))
            }
            try connection.check(code)
        }
    }

    /// Moves to the next row; returns false when there is none.
    func step() throws -> Bool {
        let code = unsafe sqlite3_step(handle)
        try connection.checkThrown(code)
        return code == SQLITE_ROW
    }

    /// Makes the statement ready to run again, with the same values bound.
    func reset() { unsafe sqlite3_reset(handle) }

    /// Sets every parameter to null.
    func clearBindings() { unsafe sqlite3_clear_bindings(handle) }

    /// Returns a value of the current row; text that is not UTF-8 is repaired.
    func value(at column: Int) -> SQLValue {
        precondition(column >= 0 && column < columns.count, "there is no column \(column)")
        guard let value = unsafe sqlite3_column_value(handle, Int32(column)) else { return .null }
        return unsafe SQLValue(value, repairing: true) ?? .null
    }
}

extension SQLValue {
    /// Reads a value; nil for text that is not UTF-8, unless it is to be repaired.
    init?(_ value: OpaquePointer, repairing: Bool) {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(unsafe sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(unsafe sqlite3_value_double(value))
        case SQLITE_TEXT:
            // The text is requested first, since that may change its encoding, and so its length.
            let start = unsafe sqlite3_value_text(value)
            let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            // A validation is three times as slow as a copy that repairs.
            if repairing {
                self = .text(unsafe String(decoding: bytes, as: UTF8.self))
            } else {
                guard let text = unsafe String(validating: bytes, as: UTF8.self) else { return nil }
                self = .text(text)
            }
        case SQLITE_BLOB:
            let start = unsafe sqlite3_value_blob(value)
            self = .blob(unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
        default: self = .null
        }
    }

    /// Passes the value to SQLite, which copies it.
    func setResult(_ context: OpaquePointer?) {
        switch self {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let number): unsafe sqlite3_result_int64(context, number)
        case .real(let number): unsafe sqlite3_result_double(context, number)
        case .text(var text):
            text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                    unsafe larder_result_text(context, bytes.baseAddress, Int32(clamping: bytes.count))
                }
            }
        case .blob(let bytes):
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe larder_result_blob(context, bytes.baseAddress, Int32(clamping: bytes.count))
            }
        }
    }
}
