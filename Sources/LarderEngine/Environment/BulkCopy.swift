private import CLMDB

/// A new environment that is filled from front to back on one thread and closed with its last reference.
@safe
final class BulkCopy {
    // Owned: opened by init, closed by deinit; used by the one thread that fills it.
    private let handle: OpaquePointer
    private let tables: [String: Table]
    private let options: EnvironmentOptions

    init(path: String, options: EnvironmentOptions) throws(EngineError) {
        self.options = options
        unsafe handle = try Environment.openHandle(path, options, isExclusive: true)
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

    /// The entries, and the bytes of keys and values, after which a commit ends: liblmdb keeps the pages of a commit in
    /// memory.
    private static let commitLimits = (entries: 5_000, byteCount: 4 << 20)

    /// Appends the entries of `cursor` from its position on that `includes` accepts, in commits of bounded size.
    ///
    /// - Parameter progress: called after each commit with the count of entries appended so far.
    /// - Returns: the count of entries appended, and the bytes of their keys and plain values.
    func append(
        _ cursor: inout Cursor, to name: String, where includes: (RawSpan) -> Bool, progress: (Int) throws -> Void
    ) throws -> (count: Int, byteCount: Int) {
        guard let table = tables[name] else { preconditionFailure("the table \(name) was not opened") }
        var appended = (count: 0, byteCount: 0)
        var isAtEnd = false
        while !isAtEnd {
            let (start, limits) = (appended, Self.commitLimits)
            try transact { transaction in
                while appended.count - start.count < limits.entries,
                    appended.byteCount - start.byteCount < limits.byteCount, !isAtEnd
                {
                    guard let entry = try cursor.next() else {
                        isAtEnd = true
                        break
                    }
                    if !includes(entry.key) { continue }
                    appended.count += 1
                    appended.byteCount += entry.key.byteCount + entry.valueSize
                    // The source is sorted, so an entry out of order comes from a damaged page.
                    if try !transaction.append(entry.openedValue, forKey: entry.key, in: table) {
                        throw EngineError.corrupted
                    }
                }
            }
            try progress(appended.count)
        }
        return appended
    }

    /// Stores the entries that `body` passes to its parameter, in commits of bounded size and in any order.
    ///
    /// - Parameter progress: called after each commit with the count of entries stored so far.
    func add(_ body: (_ entry: Environment.AddedEntry) throws -> Void, progress: (Int) throws -> Void) throws {
        // Neither of the closures outlives the call.
        try withoutActuallyEscaping(progress) { progress in try addEntries(body, progress) }
    }

    private func addEntries(
        _ body: (_ entry: Environment.AddedEntry) throws -> Void, _ progress: @escaping (Int) throws -> Void
    ) throws {
        var waiting: [(table: Table, key: [UInt8], value: [UInt8])] = []
        var (added, byteCount) = (0, 0)
        func flush() throws {
            try change { transaction, _ in
                for entry in waiting {
                    try entry.key.withRawSpan { key in
                        try entry.value.withRawSpan { try transaction.set($0, forKey: key, in: entry.table) }
                    }
                }
            }
            added += waiting.count
            (waiting, byteCount) = ([], 0)
            try progress(added)
        }
        try body { name, key, value in
            guard let table = tables[name] else { preconditionFailure("the table \(name) was not opened") }
            waiting.append((table, key, value))
            byteCount += key.count + value.count
            let limits = Self.commitLimits
            if waiting.count >= limits.entries || byteCount >= limits.byteCount { try flush() }
        }
        if !waiting.isEmpty { try flush() }
    }

    /// Changes the copy in a commit of its own.
    func change(_ body: (inout WriteTransaction, [String: Table]) throws -> Void) throws {
        try transact { transaction in
            try body(&transaction, tables)
            if let failure = transaction.failure { throw failure.error }
        }
    }

    /// Runs `body` in a transaction and commits it.
    private func transact(_ body: (inout WriteTransaction) throws -> Void) throws {
        var begun: OpaquePointer?
        try check(unsafe mdb_txn_begin(handle, nil, 0, &begun), "mdb_txn_begin")
        guard let opened = unsafe begun else { preconditionFailure("mdb_txn_begin succeeded without a transaction") }
        var transaction = unsafe WriteTransaction(handle: opened, plain: PlainValues(options, tables))
        do {
            try body(&transaction)
        } catch {
            unsafe mdb_txn_abort(opened)
            throw error
        }
        try check(unsafe mdb_txn_commit(opened), "mdb_txn_commit")
    }
}
