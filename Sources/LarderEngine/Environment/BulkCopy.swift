private import CLMDB

/// A new environment that is filled from front to back on one thread and closed with its last reference.
@safe
final class BulkCopy {
    // Owned: opened by init, closed by deinit; used by the one thread that fills it.
    private let handle: OpaquePointer
    private let tables: [String: Table]

    init(path: String, options: EnvironmentOptions) throws(EngineError) {
        unsafe handle = try Environment.openHandle(path, options, isAlone: true)
        do throws(EngineError) {
            tables = unsafe try Environment.createTables(handle, options)
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    deinit {
        unsafe mdb_env_close(handle)
    }

    /// Appends all that `cursor` has from its position on, committing after every `batch` entries.
    ///
    /// - Parameter progress: told how many have been appended so far.
    /// - Returns: how many were appended.
    func append(
        _ cursor: inout Cursor, to name: String, batch: Int, progress: (Int) throws -> Void
    ) throws -> Int {
        guard let table = tables[name] else { preconditionFailure("the table \(name) was not opened") }
        var appended = 0
        var isAtEnd = false
        while !isAtEnd {
            var begun: OpaquePointer?
            try check(unsafe mdb_txn_begin(handle, nil, 0, &begun), "mdb_txn_begin")
            guard let opened = unsafe begun else {
                preconditionFailure("mdb_txn_begin succeeded without a transaction")
            }
            var transaction = unsafe WriteTransaction(handle: opened)
            do {
                var count = 0
                while count < batch, !isAtEnd {
                    if let entry = try cursor.next() {
                        // The source is sorted; what is not comes from a damaged page.
                        if try !transaction.append(entry.value, forKey: entry.key, in: table) {
                            throw EngineError.corrupted
                        }
                        count += 1
                    } else {
                        isAtEnd = true
                    }
                }
                appended += count
            } catch {
                unsafe mdb_txn_abort(opened)
                throw error
            }
            try check(unsafe mdb_txn_commit(opened), "mdb_txn_commit")
            try progress(appended)
        }
        return appended
    }
}
