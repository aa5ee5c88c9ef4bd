private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Opening the tables of an environment before it is published. Their handles are never closed one by one.
extension Environment {
    /// Opens those of the requested tables that the file has, and passes them to `inspect`, without writing anything.
    ///
    /// - Parameter data: the file, where its pages are a store's and need a guard.
    /// - Returns: the tables, the result of `inspect`, and the guard.
    static func inspectedTables(
        _ handle: OpaquePointer, _ options: EnvironmentOptions, guarding data: FileDescriptor?, _ inspect: Inspection
    ) throws -> (tables: [String: Table], mayWrite: Bool, pages: PageGuard?) {
        let transaction = unsafe try begin(handle, isReadOnly: true)
        var tables: [String: Table] = [:]
        let mayWrite: Bool
        let pages: PageGuard?
        do {
            pages = try data.map { data in
                unsafe try PageGuard(data, in: transaction, largestFile: options.mapSizeCap)
            }
            for name in options.tables {
                var identifier: MDB_dbi = 0
                let code = unsafe mdb_dbi_open(transaction, name, 0, &identifier)
                // A foreign file may have a value, or a table of another kind, under the name.
                if code == MDB_NOTFOUND || code == MDB_INCOMPATIBLE { continue }
                try check(code, "mdb_dbi_open")
                tables[name] = Table(name: name, identifier: identifier)
            }
            let bounds = unsafe try MapExtent().bounds(in: transaction, isWriting: false)
            let plain = PlainValues(options, tables)
            defer { withExtendedLifetime(plain) {} }
            mayWrite = try inspect(
                unsafe ReadTransaction(handle: transaction, bounds: bounds, plain: plain, pages: pages), tables)
        } catch {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
        // Handles opened in a transaction become the environment's with its commit.
        try check(unsafe mdb_txn_commit(transaction), "mdb_txn_commit")
        return (tables, mayWrite, pages)
    }

    /// Checks the pages before a table is added, because a write spreads damage.
    ///
    /// - Throws: ``EngineError/damagedPage(number:reason:)``; ``EngineError/damagedMeta(reason:)`` where the file has a
    ///   table of an unknown name: this version adds tables and renames none, so that name was the missing one.
    static func checkBeforeAdding(
        _ handle: OpaquePointer, _ directory: StoreDirectory, _ options: EnvironmentOptions
    ) throws {
        let data = try directory.openFile(named: StoreDirectory.dataName, O_RDONLY)
        while true {
            // Other processes may commit meanwhile. They reuse no page of a read view.
            let transaction = unsafe try begin(handle, isReadOnly: true)
            defer { unsafe mdb_txn_abort(transaction) }
            let pages = try MetaPages(data)
            guard let meta = try pages.meta(of: UInt64(unsafe mdb_txn_id(transaction)), data) else { continue }
            _ = try checkPages(meta, pageSize: pages.pageSize, data, limit: options.fullCheckLimit)
            let census = PageCensus(meta, pageSize: pages.pageSize, fileSize: try data.identity().size)
            guard try census.tables(data).allSatisfy({ options.tables.contains($0.name) }) else {
                throw EngineError.damagedMeta(reason: "list of tables")
            }
            return
        }
    }

    /// Opens every table in one transaction; creates those that are missing.
    static func createTables(
        _ handle: OpaquePointer, _ options: EnvironmentOptions
    ) throws(EngineError) -> [String: Table] {
        let transaction = unsafe try begin(handle, isReadOnly: false)
        var tables: [String: Table] = [:]
        for name in options.tables {
            var identifier: MDB_dbi = 0
            let code = unsafe mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &identifier)
            if code != MDB_SUCCESS {
                unsafe mdb_txn_abort(transaction)
                throw EngineError(code: code, operation: "mdb_dbi_open")
            }
            tables[name] = Table(name: name, identifier: identifier)
        }
        try check(unsafe mdb_txn_commit(transaction), "mdb_txn_commit")
        return tables
    }

    private static func begin(_ handle: OpaquePointer, isReadOnly: Bool) throws(EngineError) -> OpaquePointer {
        var begun: OpaquePointer?
        let flags = isReadOnly ? UInt32(MDB_RDONLY) : 0
        var code = unsafe mdb_txn_begin(handle, nil, flags, &begun)
        for _ in 0..<8 where code == MDB_MAP_RESIZED {
            // Another process has grown the map since this one mapped it.
            try check(unsafe mdb_env_set_mapsize(handle, 0), "mdb_env_set_mapsize")
            code = unsafe mdb_txn_begin(handle, nil, flags, &begun)
        }
        try check(code, "mdb_txn_begin")
        guard let transaction = unsafe begun else {
            preconditionFailure("mdb_txn_begin succeeded without a transaction")
        }
        return unsafe transaction
    }
}
