internal import CSQLite

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

// The folder of this file is the one place of this module with `unsafe`: it wraps SQLite's connections, statements and
// virtual tables in safe classes.
//
// These rules hold throughout. A handle is made by the initializer of the object that owns it, and freed by its
// `deinit`; statements keep their connection. Pointers that SQLite passes to a callback are used within that callback
// only. A callback finds its object by a pointer that SQLite was given with it: the connection outlives its own handle,
// and tables and cursors are retained from the callback that makes them to the one that frees them. Columns, parameters
// and arguments are counted by SQLite, and no index beyond the count is used.

/// A connection to a database of its own, in memory or in a file.
// One thread at a time uses a connection, as the `Mutex` of its owner ensures; SQLite has no thread affinity.
@safe
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    private let module: UnsafeMutablePointer<sqlite3_module>
    /// The error that a callback threw; the statement that fails because of it rethrows it.
    var thrown: (any Error)?
    private var authorize: ((SQLiteAction) -> Bool)?
    /// Whether a `SELECT` was met since this was last set to false.
    var hasSeenSelect = false
    /// Whether a table is being declared.
    var isDeclaring = false
    private var mayContinue: (() -> Bool)?

    /// Opens the database that `uri` names, and creates it if it does not exist, or opens a new one in memory.
    ///
    /// A path with a symbolic link in it is refused.
    init(uri: String = ":memory:") throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW
        let code = unsafe sqlite3_open_v2(uri, &opened, flags, nil)
        guard let connection = unsafe opened, code == SQLITE_OK else {
            unsafe sqlite3_close_v2(opened)
            throw SQLiteFailure(code: code, message: "the database cannot be opened", offset: nil)
        }
        unsafe handle = connection
        unsafe module = .allocate(capacity: 1)
        unsafe module.initialize(to: Self.callbacks)
        _ = unsafe larder_harden(handle)
        unsafe sqlite3_extended_result_codes(handle, 0)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
        unsafe module.deinitialize(count: 1)
        unsafe module.deallocate()
    }

    /// Limits the size of any text, row or statement, in bytes.
    func limitSize(to bytes: Int32) { unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes) }

    /// The rowid of the row that the last `INSERT` added.
    var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Sets the time to wait for another process's lock before a statement fails.
    func waitForLocks(milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Calls `authorize` for every action of a statement that is prepared; false refuses the statement.
    func restrict(_ authorize: @escaping (SQLiteAction) -> Bool) {
        self.authorize = authorize
        unsafe sqlite3_set_authorizer(
            handle,
            { context, code, first, second, _, _ in
                let connection = unsafe SQLiteConnection.from(context)
                let action: SQLiteAction =
                    switch code {
                    case SQLITE_SELECT: .select
                    case SQLITE_READ: .read(table: unsafe SQLiteConnection.string(first))
                    case SQLITE_FUNCTION: .function(name: unsafe SQLiteConnection.string(second))
                    case SQLITE_RECURSIVE: .recursion
                    default: .other
                    }
                if connection.isDeclaring { return SQLITE_OK }
                if case .select = action { connection.hasSeenSelect = true }
                return connection.authorize?(action) ?? false ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Calls `mayContinue` about every `steps` steps of a statement; false interrupts it.
    func setProgressHandler(every steps: Int32, _ mayContinue: @escaping () -> Bool) {
        self.mayContinue = mayContinue
        unsafe sqlite3_progress_handler(
            handle, steps,
            { context in
                let connection = unsafe SQLiteConnection.from(context)
                return connection.mayContinue?() ?? true ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Registers `table` under `name`.
    func register(_ table: any VirtualTable, as name: String) throws(SQLiteFailure) {
        let box = unsafe Unmanaged.passRetained(TableBox(table, self)).toOpaque()
        // SQLite calls the destructor also when it refuses the module.
        try check(
            unsafe sqlite3_create_module_v2(handle, name, module, box) { box in
                if let box = unsafe box { unsafe Unmanaged<TableBox>.fromOpaque(box).release() }
            })
    }

    /// Whether the file of the database was removed, or another is in its place; false for one in memory.
    var hasMoved: Bool {
        var result: Int32 = 0
        // SQLite writes the answer during the call; a database without a file leaves it as it is.
        let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &result)
        return code == SQLITE_OK && result != 0
    }

    /// Removes a file; errors are ignored.
    static func removeFile(_ path: String) { unsafe unlink(path) }

    /// Runs one of the program's own statements, which returns no rows.
    func execute(_ sql: String, _ arguments: [SQLValue] = []) throws {
        let statement = try SQLiteStatement(sql, in: self)
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: index) }
        while try statement.step() {}
    }

    func check(_ code: Int32) throws(SQLiteFailure) {
        if code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE { return }
        let offset = unsafe sqlite3_error_offset(handle)
        let message = unsafe Self.string(sqlite3_errmsg(handle))
        throw SQLiteFailure(code: code & 0xFF, message: message, offset: offset < 0 ? nil : Int(offset))
    }

    /// Checks as ``check(_:)``, but an error that a callback threw has precedence.
    func checkThrown(_ code: Int32) throws {
        defer { thrown = nil }
        do throws(SQLiteFailure) {
            try check(code)
        } catch {
            throw thrown ?? error
        }
    }

    /// Runs `body` for a callback and returns the result code; an error is kept in ``thrown``.
    func resultCode(of body: () throws -> Void) -> Int32 {
        do {
            try body()
            return SQLITE_OK
        } catch {
            return resultCode(of: error)
        }
    }

    /// Keeps the error of a callback in ``thrown`` and returns its result code.
    func resultCode(of error: any Error) -> Int32 {
        thrown = error
        return SQLITE_ERROR
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> SQLiteConnection {
        guard let context = unsafe context else { preconditionFailure("SQLite lost a callback's context") }
        return unsafe Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    static func string(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "" }
        return unsafe String(cString: text)
    }
}
