internal import CSQLite

/// A registered table; it exists as long as the connection.
final class TableBox {
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
    private let cursor: any VirtualCursor
    private unowned let connection: SQLiteConnection

    init(_ cursor: any VirtualCursor, _ connection: SQLiteConnection) {
        self.cursor = cursor
        self.connection = connection
    }

    var isAtEnd: Bool { cursor.isAtEnd }

    /// Passes the cursor to `body` and returns the result code. The connection is needed for an error only: this is
    /// called for each row.
    @inline(__always)
    func resultCode(of body: (any VirtualCursor) throws -> Void) -> Int32 {
        do {
            try body(cursor)
            return SQLITE_OK
        } catch {
            return connection.resultCode(of: error)
        }
    }
}

/// SQLite's own structure of a table or a cursor, followed by a retained pointer to our object.
private enum Instance {
    /// Allocates one. `Base` is a C structure for which all zeros are valid, and SQLite fills it.
    static func make<Base>(_ base: Base.Type, for object: AnyObject) -> UnsafeMutablePointer<Base> {
        let offset = MemoryLayout<Base>.stride
        let memory = unsafe UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<UnsafeMutableRawPointer>.stride, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: offset)
        unsafe memory.storeBytes(
            of: Unmanaged.passRetained(object).toOpaque(), toByteOffset: offset, as: UnsafeMutableRawPointer.self)
        return unsafe memory.bindMemory(to: Base.self, capacity: 1)
    }

    /// Returns the object behind an instance that ``make(_:for:)`` made for one of its kind.
    static func object<Base, Object: AnyObject>(of base: UnsafeMutablePointer<Base>?, _: Object.Type) -> Object {
        unsafe reference(base).takeUnretainedValue()
    }

    /// Frees an instance and releases its object.
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
    /// The callbacks of a table that exists under its module's name only and is not written to.
    static var callbacks: sqlite3_module {
        var module = sqlite3_module()
        unsafe module.xConnect = { database, context, _, _, made, _ in
            guard let context = unsafe context else { return SQLITE_ERROR }
            let box = unsafe Unmanaged<TableBox>.fromOpaque(context).takeUnretainedValue()
            return box.connection.resultCode {
                // SQLite compiles a declaration of columns like a statement, and calls the authorizer for it.
                box.connection.isDeclaring = true
                defer { box.connection.isDeclaring = false }
                try box.connection.check(unsafe sqlite3_declare_vtab(database, box.table.schema))
                unsafe made?.pointee = Instance.make(sqlite3_vtab.self, for: box)
            }
        }
        unsafe module.xDisconnect = { table in
            unsafe Instance.free(table)
            return SQLITE_OK
        }
        unsafe module.xBestIndex = { table, info in
            guard let info = unsafe info else { return SQLITE_ERROR }
            let box = unsafe Instance.object(of: table, TableBox.self)
            return box.connection.resultCode {
                unsafe SQLiteConnection.setOutputs(try box.table.plan(SQLiteConnection.planRequest(info)), info)
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
            return box.resultCode { try $0.filter(plan: Int(number), arguments: arguments) }
        }
        unsafe module.xNext = { cursor in
            let box = unsafe Instance.object(of: cursor, CursorBox.self)
            return box.resultCode { try $0.next() }
        }
        unsafe module.xEof = { cursor in
            unsafe Instance.object(of: cursor, CursorBox.self).isAtEnd ? 1 : 0
        }
        unsafe module.xColumn = { cursor, context, column in
            let box = unsafe Instance.object(of: cursor, CursorBox.self)
            return box.resultCode { unsafe try $0.value(ofColumn: Int(column)).setResult(context) }
        }
        // Never called: the tables have a primary key in place of row numbers.
        unsafe module.xRowid = { _, _ in SQLITE_ERROR }
        return module
    }

    private static func planRequest(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> PlanRequest {
        let constraints = (0..<Int(unsafe info.pointee.nConstraint)).map { index -> PlanRequest.Constraint? in
            guard let constraint = unsafe info.pointee.aConstraint?[index], constraint.usable != 0,
                let comparison = Comparison(Int32(constraint.op))
            else { return nil }
            return PlanRequest.Constraint(
                column: Int(constraint.iColumn), comparison: comparison,
                collation: unsafe string(sqlite3_vtab_collation(info, Int32(index))),
                value: unsafe constantValue(info, index),
                // SQLite has this for the first 32 constraints only.
                isMembership: unsafe index >= 32 || sqlite3_vtab_in(info, Int32(index), -1) != 0)
        }
        let order = (0..<Int(unsafe info.pointee.nOrderBy)).compactMap { index in
            unsafe info.pointee.aOrderBy.map { terms in
                let term = unsafe terms[index]
                return PlanRequest.Term(column: Int(term.iColumn), isDescending: term.desc != 0)
            }
        }
        return PlanRequest(constraints: constraints, order: order, columns: unsafe info.pointee.colUsed)
    }

    /// Returns the value that a constraint compares with, if SQLite knows it already.
    private static func constantValue(_ info: UnsafeMutablePointer<sqlite3_index_info>, _ index: Int) -> SQLValue? {
        var value: OpaquePointer?
        guard unsafe sqlite3_vtab_rhs_value(info, Int32(index), &value) == SQLITE_OK else { return nil }
        guard let value = unsafe value else { return nil }
        return unsafe SQLValue(value, repairing: false)
    }

    private static func setOutputs(_ setOutputs: PlanResult, _ info: UnsafeMutablePointer<sqlite3_index_info>) {
        var position: Int32 = 0
        for (index, isUsed) in setOutputs.used.enumerated() where isUsed {
            position += 1
            unsafe info.pointee.aConstraintUsage?[index].argvIndex = position
            if setOutputs.omitted?[index] == true { unsafe info.pointee.aConstraintUsage?[index].omit = 1 }
        }
        unsafe info.pointee.idxNum = Int32(setOutputs.number)
        unsafe info.pointee.orderByConsumed = setOutputs.isOrdered ? 1 : 0
        unsafe info.pointee.estimatedCost = setOutputs.cost
        unsafe info.pointee.estimatedRows = setOutputs.rows
    }
}
