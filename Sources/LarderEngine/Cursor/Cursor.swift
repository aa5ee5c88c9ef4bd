private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A position in a table, lent to a closure.
///
/// A move returns nil at the end of the table and for nothing else. It throws ``EngineError/corrupted`` for a damaged
/// page or an entry outside the file, or another error of LMDB. The returned entry is valid until the next move. At an
/// end the position stays on the last entry, or the first.
@safe
public struct Cursor: ~Copyable, ~Escapable {
    // Owned: opened by init, closed by deinit, which runs before the transaction ends because the cursor is lent.
    private let handle: OpaquePointer
    private let transaction: OpaquePointer
    private let bounds: ValueBounds
    /// Those of the transaction, and this cursor's own; nil without a cipher and a decompressor.
    private let values: (transaction: PlainValues, own: PlainValues)?
    private let table: Table
    // The environment keeps it, and outlives every transaction.
    private unowned(unsafe) let pages: PageGuard?
    /// Whether there is a guard; a comparison of the reference would count it.
    private let isGuarded: Bool
    /// The key at the position, where the pages are guarded; valid until the transaction changes something.
    private var keyAtPosition: MDB_val?
    /// The leaf of that key, where it is a checked page.
    private var leaf: GuardedCommit.Leaf?
    /// The node of that key on the leaf. Each step changes it, and waits for no other change.
    private var index = 0
    /// Whether liblmdb's position is that of another key of the leaf.
    private var isBehind = false

    /// - Parameter pages: the guard of the file's pages; nil where they need none.
    @_lifetime(immortal)  // The transaction lends it for the duration of a closure, and it cannot escape that.
    init(
        transaction: OpaquePointer, table: Table, bounds: ValueBounds, values: PlainValues?, pages: PageGuard?
    ) throws(EngineError) {
        var opened: OpaquePointer?
        try check(unsafe mdb_cursor_open(transaction, table.identifier, &opened), "mdb_cursor_open")
        guard let cursor = unsafe opened else {
            preconditionFailure("mdb_cursor_open succeeded without a cursor")
        }
        unsafe handle = cursor
        unsafe self.transaction = transaction
        self.bounds = bounds
        self.values = values.map { ($0, $0.begin(table)) }
        self.table = table
        unsafe self.pages = pages
        isGuarded = pages != nil
    }

    deinit {
        unsafe mdb_cursor_close(handle)
        if let values { values.transaction.end(values.own) }
    }

    /// Moves to the first entry. LMDB: `MDB_FIRST`.
    ///
    /// - Throws: ``EngineError`` as every move.
    @_lifetime(&self)
    public mutating func first() throws(EngineError) -> Entry? {
        try move(MDB_FIRST)
    }

    /// Moves to the last entry. LMDB: `MDB_LAST`.
    ///
    /// - Throws: ``EngineError`` as every move.
    @_lifetime(&self)
    public mutating func last() throws(EngineError) -> Entry? {
        try move(MDB_LAST)
    }

    /// Moves one entry forwards; without a position, to the first. LMDB: `MDB_NEXT`.
    ///
    /// - Throws: ``EngineError`` as every move.
    @_lifetime(&self)
    public mutating func next() throws(EngineError) -> Entry? {
        try move(MDB_NEXT)
    }

    /// Moves one entry backwards; without a position, to the last. LMDB: `MDB_PREV`.
    ///
    /// - Throws: ``EngineError`` as every move.
    @_lifetime(&self)
    public mutating func previous() throws(EngineError) -> Entry? {
        try move(MDB_PREV)
    }

    /// Returns the entry at the position, or nil when the cursor has no position. LMDB: `MDB_GET_CURRENT`.
    ///
    /// - Throws: ``EngineError`` as every move.
    @_lifetime(&self)
    public mutating func current() throws(EngineError) -> Entry? {
        do throws(EngineError) {
            return try move(MDB_GET_CURRENT)
        } catch .system(code: EINVAL, _) {
            // LMDB returns this code for a cursor without a position, and for nothing else.
            return nil
        }
    }

    /// Moves to the first entry at or after `key`. LMDB: `MDB_SET_RANGE`.
    ///
    /// - Parameter key: 1 to 511 bytes.
    /// - Throws: ``EngineError/keySize(actual:limit:)``; else as every move.
    /// - Complexity: O(log *n*) page visits.
    @_lifetime(&self)
    public mutating func seek(_ key: borrowing RawSpan) throws(EngineError) -> Entry? {
        let isFound = try position(atOrAfter: key)
        return try move(isFound ? MDB_GET_CURRENT : nil)
    }

    /// Moves to the last entry before `key`.
    ///
    /// - Throws: ``EngineError/keySize(actual:limit:)``; else as every move.
    /// - Complexity: O(log *n*) page visits.
    @_lifetime(&self)
    public mutating func seek(before key: borrowing RawSpan) throws(EngineError) -> Entry? {
        let isFound = try position(atOrAfter: key)
        return try move(isFound ? MDB_PREV : MDB_LAST)
    }

    private mutating func position(atOrAfter key: borrowing RawSpan) throws(EngineError) -> Bool {
        try checkKey(key)
        TableAccess.move.record()
        if let pages = unsafe pages { try unsafe GuardedCommit(pages, transaction, bounds).check(key, in: table) }
        var data = unsafe MDB_val()
        var found: MDB_val?
        let code = unsafe key.withMDBValue { wanted in
            let code = unsafe mdb_cursor_get(handle, &wanted, &data, MDB_SET_RANGE)
            unsafe found = code == MDB_SUCCESS ? wanted : nil
            return code
        }
        unsafe (keyAtPosition, leaf, isBehind) = (found, nil, false)
        if code == MDB_NOTFOUND { return false }
        try check(code, "mdb_cursor_get")
        return true
    }

    @_lifetime(&self)
    private mutating func move(_ operation: MDB_cursor_op?) throws(EngineError) -> Entry? {
        guard let operation else { return nil }
        TableAccess.move.record()
        var key = unsafe MDB_val()
        var data = unsafe MDB_val()
        if let beside = unsafe stepOnLeaf(operation) {
            unsafe (key, data) = beside
        } else {
            if isGuarded { try prepare(operation) }
            let code = unsafe mdb_cursor_get(handle, &key, &data, operation)
            if code == MDB_NOTFOUND { return nil }
            do throws(EngineError) {
                try check(code, "mdb_cursor_get")
                unsafe try bounds.check(key: key, value: data, in: transaction)
            } catch {
                stay()
                throw error
            }
            if isGuarded { unsafe try didMove(to: key, data) }
        }
        let entry = unsafe Entry(key: key, value: data, plain: values?.own)
        if let values {
            unsafe try values.own.move(to: entry.stored, of: entry.key, ValueSource(transaction, bounds, pages))
        }
        // The page stays in place at least until the cursor is used again or the transaction changes.
        return unsafe _overrideLifetime(entry, mutating: &self)
    }

    /// Has the next move begin where the cursor was before one that failed.
    @inline(never)
    private mutating func stay() {
        if unsafe keyAtPosition != nil {
            isBehind = true
        } else {
            // It has no position then. In a write transaction liblmdb refuses that.
            unsafe mdb_cursor_renew(transaction, handle)
        }
    }

    /// Moves to the entry beside the position, where the checked leaf has it and its value: liblmdb, whose position stays
    /// behind, would look for no other.
    @inline(__always)
    private mutating func stepOnLeaf(_ operation: MDB_cursor_op) -> (key: MDB_val, value: MDB_val)? {
        guard let leaf, !bounds.isWriting, operation == MDB_NEXT || operation == MDB_PREV else { return nil }
        let next = operation == MDB_NEXT ? index + 1 : index - 1
        guard next >= 0, next < leaf.count else { return nil }
        guard let node = GuardedCommit.smallNode(next, ofLeafAt: leaf.page, in: GuardedCommit.map(bounds)) else {
            return nil
        }
        // In the map. liblmdb's type has no form for bytes that nobody writes to.
        let start = bounds.start &+ UInt(node.key)
        let key = unsafe MDB_val(mv_size: node.keySize, mv_data: UnsafeMutableRawPointer(bitPattern: start))
        let value = unsafe MDB_val(
            mv_size: node.valueSize, mv_data: UnsafeMutableRawPointer(bitPattern: start &+ UInt(node.keySize)))
        index = next
        unsafe keyAtPosition = key
        isBehind = true
        return unsafe (key, value)
    }

    /// Prepares a move of liblmdb: brings its position to that of this cursor, and checks the pages that it reads.
    @inline(never)
    private mutating func prepare(_ operation: MDB_cursor_op) throws(EngineError) {
        if isBehind, var key = unsafe keyAtPosition {
            isBehind = false
            // It is on the same leaf, where the key is.
            var data = unsafe MDB_val()
            try check(unsafe mdb_cursor_get(handle, &key, &data, MDB_SET_RANGE), "mdb_cursor_get")
        }
        try checkPages(of: operation)
    }

    /// Checks the pages that a move reads.
    private func checkPages(of operation: MDB_cursor_op) throws(EngineError) {
        if operation == MDB_GET_CURRENT { return }
        guard operation == MDB_NEXT || operation == MDB_PREV, let key = unsafe keyAtPosition else {
            guard let pages = unsafe pages else { return }
            let commit = unsafe GuardedCommit(pages, transaction, bounds)
            return try commit.check(operation == MDB_FIRST || operation == MDB_NEXT ? .first : .last, of: table)
        }
        if let leaf {
            // Within a leaf no other page is read.
            let edge = operation == MDB_NEXT ? leaf.count - 1 : 0
            if leaf.hasCheckedNeighbors || index != edge { return }
        }
        // A reference is counted where it is read: not in a move within a leaf.
        guard let pages = unsafe pages else { return }
        let commit = unsafe GuardedCommit(pages, transaction, bounds)
        // The key is on a checked page, or on one that the transaction has changed; it stays in place as an entry does.
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(key.mv_data), byteCount: key.mv_size)
        try commit.checkNeighbors(ofLeafWith: bytes, in: table)
    }

    /// Records the position, and checks the pages of a large value.
    @inline(never)
    private mutating func didMove(to key: MDB_val, _ value: MDB_val) throws(EngineError) {
        unsafe keyAtPosition = key
        let offset = unsafe UInt(bitPattern: key.mv_data) &- bounds.start
        if let pages = unsafe pages {
            leaf = nil
            if let found = unsafe GuardedCommit(pages, transaction, bounds).leaf(ofKeyAt: offset) {
                (leaf, index) = found
            }
        }
        let start = UInt(bitPattern: unsafe value.mv_data)
        let end = unsafe UInt(bitPattern: key.mv_data) &+ UInt(bitPattern: key.mv_size)
        // A value that does not follow its key is in pages of its own, which the transaction may have changed.
        if start == end || start &- bounds.start >= bounds.byteCount || bounds.isWriting { return }
        guard let pages = unsafe pages else { return }
        try unsafe GuardedCommit(pages, transaction, bounds)
            .checkLargeValue(at: Int(start &- bounds.start), value.mv_size)
    }

    /// Checks the pages that a removal of the entry at the position reads and changes.
    func checkRemoval() throws(EngineError) {
        guard let pages = unsafe pages, let key = unsafe keyAtPosition else { return }
        // The entry was returned last, so its page is in place.
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(key.mv_data), byteCount: key.mv_size)
        try unsafe GuardedCommit(pages, transaction, bounds).checkRemoval(of: bytes, in: table)
    }

    /// Removes the entry at the position. LMDB: `mdb_cursor_del`.
    mutating func removeCurrent() -> Int32 {
        unsafe mdb_cursor_del(handle, 0)
    }

    /// Returns the number of entries that the table counts. LMDB: `mdb_stat`.
    func entryCount() throws(EngineError) -> Int {
        var sizes = MDB_stat()
        try check(unsafe mdb_stat(transaction, mdb_cursor_dbi(handle), &sizes), "mdb_stat")
        return sizes.ms_entries
    }
}
