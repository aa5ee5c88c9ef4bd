private import CSQLite

// The one file of this module with `unsafe`: SQLite's connections, statements and virtual tables as safe classes.
//
// What holds throughout. A handle is made by the initializer of the object that owns it, and freed by its `deinit`;
// statements keep their connection. Pointers that SQLite lends to a callback are used within that callback only. A
// callback finds its object by a pointer that SQLite was given with it: the connection outlives its own handle, and
// tables and cursors are retained from the callback that makes them to the one that frees them. Columns, parameters and
// arguments are counted by SQLite, and no index beyond the count is used.

/// A connection to a database of its own, in memory or in a file.
// One thread at a time uses a connection: whoever takes it out of its owner's `Mutex`; SQLite has no thread affinity.
@safe
final class SQLiteConnection: @unchecked Sendable {
    fileprivate let handle: OpaquePointer
    private let module: UnsafeMutablePointer<sqlite3_module>
    /// What a callback threw; the statement that fails of it throws it on.
    fileprivate var thrown: (any Error)?
    private var authorize: ((SQLiteAction) -> Bool)?
    private var mayContinue: (() -> Bool)?

    /// Opens the database in the file at `path`, made when it does not exist, or a new one in memory.
    init(path: String = ":memory:") throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
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

    /// Waits so long for another process's lock before giving up.
    func waitForLocks(milliseconds: Int32) { unsafe sqlite3_busy_timeout(handle, milliseconds) }

    /// Has every action of a statement allowed by `authorize` before the statement is prepared.
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
                return connection.authorize?(action) ?? false ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Asks `mayContinue` about every `steps` steps of a statement; false interrupts it.
    func watch(every steps: Int32, _ mayContinue: @escaping () -> Bool) {
        self.mayContinue = mayContinue
        unsafe sqlite3_progress_handler(
            handle, steps,
            { context in
                let connection = unsafe SQLiteConnection.from(context)
                return connection.mayContinue?() ?? true ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Makes `table` known under `name`.
    func register(_ table: any VirtualTable, as name: String) throws(SQLiteFailure) {
        let box = unsafe Unmanaged.passRetained(TableBox(table, self)).toOpaque()
        // SQLite calls the destructor also when it refuses the module.
        try check(
            unsafe sqlite3_create_module_v2(handle, name, module, box) { box in
                if let box = unsafe box { unsafe Unmanaged<TableBox>.fromOpaque(box).release() }
            })
    }

    /// Runs a statement of this program's own that gives no rows.
    func execute(_ sql: String, _ arguments: [SQLValue] = []) throws {
        let statement = try SQLiteStatement(sql, in: self)
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: index) }
        while try statement.step() {}
    }

    fileprivate func check(_ code: Int32) throws(SQLiteFailure) {
        if code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE { return }
        let offset = unsafe sqlite3_error_offset(handle)
        let message = unsafe Self.string(sqlite3_errmsg(handle))
        throw SQLiteFailure(code: code & 0xFF, message: message, offset: offset < 0 ? nil : Int(offset))
    }

    /// As ``check(_:)``, but an error that a callback threw goes first.
    fileprivate func checkThrown(_ code: Int32) throws {
        defer { thrown = nil }
        do throws(SQLiteFailure) {
            try check(code)
        } catch {
            throw thrown ?? error
        }
    }

    /// Answers a callback with what `body` does.
    fileprivate func answering(_ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return SQLITE_OK
        } catch {
            thrown = error
            return SQLITE_ERROR
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> SQLiteConnection {
        guard let context = unsafe context else { preconditionFailure("SQLite lost a callback's context") }
        return unsafe Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    fileprivate static func string(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "" }
        return unsafe String(cString: text)
    }
}

/// A compiled statement.
@safe
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection
    /// The names of the columns it gives.
    let columns: [String]
    /// How many values have to be bound.
    let parameterCount: Int

    /// Compiles `sql`, which has to be one statement.
    init(_ sql: String, in connection: SQLiteConnection) throws {
        let bytes = Array(sql.utf8)
        let (compiled, length) = unsafe try Self.compile(bytes[...], in: connection)
        guard let statement = unsafe compiled else { throw QueryError.notOneStatement }
        unsafe handle = statement
        self.connection = connection
        unsafe columns = (0..<sqlite3_column_count(statement)).map { column in
            unsafe SQLiteConnection.string(sqlite3_column_name(statement, column))
        }
        parameterCount = Int(unsafe sqlite3_bind_parameter_count(statement))
        // What follows may be blanks and comments, but nothing that compiles to a second statement, or does not at all.
        if length == bytes.count { return }
        let second = unsafe try? Self.compile(bytes[length...], in: connection)
        unsafe sqlite3_finalize(second?.handle)
        if unsafe second == nil || second?.handle != nil { throw QueryError.notOneStatement }
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// The first statement in `sql`, nil when there is none, and how many bytes it took.
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

    /// Goes to the next row; false when there is none.
    func step() throws -> Bool {
        let code = unsafe sqlite3_step(handle)
        try connection.checkThrown(code)
        return code == SQLITE_ROW
    }

    /// Makes the statement ready to run again, with the same values bound.
    func reset() { unsafe sqlite3_reset(handle) }

    /// A value of the row here; text that is not UTF-8 comes repaired.
    func value(at column: Int) -> SQLValue {
        precondition(column >= 0 && column < columns.count, "there is no column \(column)")
        guard let value = unsafe sqlite3_column_value(handle, Int32(column)) else { return .null }
        return unsafe SQLValue(value, repairing: true) ?? .null
    }
}

extension SQLValue {
    /// Reads a value; nil for text that is not UTF-8, unless that is `repairing`.
    fileprivate init?(_ value: OpaquePointer, repairing: Bool) {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: self = .integer(unsafe sqlite3_value_int64(value))
        case SQLITE_FLOAT: self = .real(unsafe sqlite3_value_double(value))
        case SQLITE_TEXT:
            // The text first: asking for it may change its encoding, and so its length.
            let start = unsafe sqlite3_value_text(value)
            let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            if let text = unsafe String(validating: bytes, as: UTF8.self) {
                self = .text(text)
            } else if repairing {
                self = .text(unsafe String(decoding: bytes, as: UTF8.self))
            } else {
                return nil
            }
        case SQLITE_BLOB:
            let start = unsafe sqlite3_value_blob(value)
            self = .blob(unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
        default: self = .null
        }
    }

    /// Hands the value to SQLite, which copies it.
    fileprivate func answer(_ context: OpaquePointer?) {
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

/// A registered table, as long as the connection lives.
private final class TableBox {
    let table: any VirtualTable
    // SQLite frees the box before the connection is gone.
    unowned let connection: SQLiteConnection

    init(_ table: any VirtualTable, _ connection: SQLiteConnection) {
        self.table = table
        self.connection = connection
    }
}

/// An open cursor.
private final class CursorBox {
    let cursor: any VirtualCursor
    unowned let connection: SQLiteConnection

    init(_ cursor: any VirtualCursor, _ connection: SQLiteConnection) {
        self.cursor = cursor
        self.connection = connection
    }
}

/// SQLite's own part of a table or a cursor, and behind it a retained pointer to ours.
private enum Instance {
    /// Makes one. `Base` is a C structure for which all zeros are valid, and SQLite fills it.
    static func make<Base>(_ base: Base.Type, for object: AnyObject) -> UnsafeMutablePointer<Base> {
        let offset = MemoryLayout<Base>.stride
        let memory = unsafe UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<UnsafeMutableRawPointer>.stride, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: offset)
        unsafe memory.storeBytes(
            of: Unmanaged.passRetained(object).toOpaque(), toByteOffset: offset, as: UnsafeMutableRawPointer.self)
        return unsafe memory.bindMemory(to: Base.self, capacity: 1)
    }

    /// The object behind an instance that ``make(_:for:)`` made for one of its kind.
    static func object<Base, Object: AnyObject>(of base: UnsafeMutablePointer<Base>?, _: Object.Type) -> Object {
        unsafe reference(base).takeUnretainedValue()
    }

    /// Frees an instance and lets its object go.
    static func free<Base>(_ base: UnsafeMutablePointer<Base>?) {
        let object: Unmanaged<AnyObject> = unsafe reference(base)
        unsafe object.release()
        unsafe UnsafeMutableRawPointer(base)?.deallocate()
    }

    private static func reference<Base, Object>(_ base: UnsafeMutablePointer<Base>?) -> Unmanaged<Object> {
        guard let base = UnsafeMutableRawPointer(base) else { preconditionFailure("SQLite lost an instance") }
        let pointer = unsafe base.load(fromByteOffset: MemoryLayout<Base>.stride, as: UnsafeMutableRawPointer.self)
        return unsafe Unmanaged<Object>.fromOpaque(pointer)
    }
}

extension SQLiteConnection {
    /// What SQLite calls of a table that exists under its module's name only and is not written to.
    private static var callbacks: sqlite3_module {
        var module = sqlite3_module()
        unsafe module.xConnect = { database, context, _, _, made, _ in
            guard let context = unsafe context else { return SQLITE_ERROR }
            let box = unsafe Unmanaged<TableBox>.fromOpaque(context).takeUnretainedValue()
            let code = unsafe sqlite3_declare_vtab(database, box.table.schema)
            if code == SQLITE_OK { unsafe made?.pointee = Instance.make(sqlite3_vtab.self, for: box) }
            return code
        }
        unsafe module.xDisconnect = { table in
            unsafe Instance.free(table)
            return SQLITE_OK
        }
        unsafe module.xBestIndex = { table, info in
            guard let info = unsafe info else { return SQLITE_ERROR }
            let box = unsafe Instance.object(of: table, TableBox.self)
            return box.connection.answering {
                unsafe SQLiteConnection.answer(try box.table.plan(SQLiteConnection.request(info)), info)
            }
        }
        unsafe module.xOpen = { table, made in
            let box = unsafe Instance.object(of: table, TableBox.self)
            let cursor = CursorBox(box.table.makeCursor(), box.connection)
            unsafe made?.pointee = Instance.make(sqlite3_vtab_cursor.self, for: cursor)
            return SQLITE_OK
        }
        unsafe module.xClose = { cursor in
            unsafe Instance.free(cursor)
            return SQLITE_OK
        }
        unsafe module.xFilter = { cursor, number, _, count, values in
            let box = unsafe Instance.object(of: cursor, CursorBox.self)
            let arguments: [SQLValue?] = (0..<Int(count)).map { index in
                guard let value = unsafe values?[index] else { return nil }
                return unsafe SQLValue(value, repairing: false)
            }
            return box.connection.answering { try box.cursor.filter(plan: Int(number), arguments: arguments) }
        }
        unsafe module.xNext = { cursor in
            let box = unsafe Instance.object(of: cursor, CursorBox.self)
            return box.connection.answering { try box.cursor.next() }
        }
        unsafe module.xEof = { cursor in
            unsafe Instance.object(of: cursor, CursorBox.self).cursor.isAtEnd ? 1 : 0
        }
        unsafe module.xColumn = { cursor, context, column in
            let box = unsafe Instance.object(of: cursor, CursorBox.self)
            return box.connection.answering {
                unsafe try box.cursor.value(ofColumn: Int(column)).answer(context)
            }
        }
        // Never asked for: the tables have a primary key in place of row numbers.
        unsafe module.xRowid = { _, _ in SQLITE_ERROR }
        return module
    }

    private static func request(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> PlanRequest {
        let constraints = (0..<Int(unsafe info.pointee.nConstraint)).map { index -> PlanRequest.Constraint? in
            guard let constraint = unsafe info.pointee.aConstraint?[index], constraint.usable != 0,
                let comparison = Comparison(Int32(constraint.op))
            else { return nil }
            return PlanRequest.Constraint(
                column: Int(constraint.iColumn), comparison: comparison,
                collation: unsafe string(sqlite3_vtab_collation(info, Int32(index))))
        }
        let order = (0..<Int(unsafe info.pointee.nOrderBy)).compactMap { index in
            unsafe info.pointee.aOrderBy.map { terms in
                let term = unsafe terms[index]
                return PlanRequest.Term(column: Int(term.iColumn), isDescending: term.desc != 0)
            }
        }
        return PlanRequest(constraints: constraints, order: order, columns: unsafe info.pointee.colUsed)
    }

    private static func answer(_ answer: PlanAnswer, _ info: UnsafeMutablePointer<sqlite3_index_info>) {
        var position: Int32 = 0
        for (index, isUsed) in answer.used.enumerated() where isUsed {
            position += 1
            unsafe info.pointee.aConstraintUsage?[index].argvIndex = position
        }
        unsafe info.pointee.idxNum = Int32(answer.number)
        unsafe info.pointee.orderByConsumed = answer.isOrdered ? 1 : 0
        unsafe info.pointee.estimatedCost = answer.cost
        unsafe info.pointee.estimatedRows = answer.rows
        if answer.isUnique { unsafe info.pointee.idxFlags |= SQLITE_INDEX_SCAN_UNIQUE }
    }
}
