internal import CLMDB

/// The plain values of one transaction, or of one cursor's position, with the memory that they lie in.
///
/// Spans of it end with the transaction, or with the next move or change, as spans into the map do; the memory is used
/// again after that.
@safe
final class PlainValues {
    let cipher: any ValueCipher
    /// The table that has the record with the keys; nil in a file without it.
    private let home: Table?
    private var keys: any ValueKeys
    private var memory = ValueMemory()
    /// What lookups have opened, where many views follow each other.
    private var recent: RecentValues?
    /// A child that waits for the next cursor.
    private var spare: PlainValues?
    /// The table of the cursor that this belongs to.
    private var table: Table?
    /// The plain value at the position of the cursor, once it was read.
    private var current: UnsafeRawBufferPointer?

    /// - Parameters:
    ///   - tables: those of the environment, as far as they are open.
    ///   - isReused: whether many views use this one after the other.
    convenience init?(_ cipher: (any ValueCipher)?, _ tables: [String: Table], isReused: Bool = false) {
        guard let cipher else { return nil }
        self.init(cipher, home: tables[cipher.record.table])
        if isReused { recent = RecentValues() }
    }

    private init(_ cipher: any ValueCipher, home: Table?) {
        self.cipher = cipher
        self.home = home
        keys = cipher.keys()
    }

    /// Frees the memory for other values: no span of a plain value is in use any more.
    func reset() {
        unsafe current = nil
        memory.reset()
    }

    /// Begins another transaction, which may have other keys.
    func restart() {
        reset()
        keys = cipher.keys()
    }

    /// Returns the plain value of `key`, in memory that stays until ``reset()``.
    ///
    /// - Throws: as ``ValueCipher/keys(with:)``.
    func value(
        _ stored: RawSpan, of key: RawSpan, in table: Table, _ transaction: OpaquePointer, _ bounds: ValueBounds,
        _ pages: PageGuard?
    ) throws(EngineError) -> UnsafeRawBufferPointer {
        if cipher.isPlain(key, in: table) {
            return unsafe stored.withUnsafeBytes { bytes in unsafe bytes }
        }
        if let known = unsafe recent?.find(stored, of: key, in: table.identifier) {
            let copy = unsafe memory.allocate(known.count)
            unsafe copy.copyMemory(from: known)
            return UnsafeRawBufferPointer(copy)
        }
        unsafe try prepare(stored, transaction, bounds, pages)
        let value = unsafe opened(stored, of: key, in: table)
        if unsafe value.isPlain { unsafe recent?.insert(value.bytes, stored, of: key, in: table.identifier) }
        return unsafe value.bytes
    }

    /// Returns the size of the plain value of `key`; opens nothing.
    func size(_ stored: RawSpan, of key: RawSpan, in table: Table) -> Int {
        cipher.isPlain(key, in: table) ? stored.byteCount : max(0, stored.byteCount - cipher.overhead)
    }

    /// Returns the sealed form of `value`, in memory that stays until ``reset()``.
    func sealed(_ value: RawSpan, for key: RawSpan, in table: Table) -> UnsafeRawBufferPointer {
        let output = unsafe memory.allocate(value.byteCount + cipher.overhead)
        var span = unsafe MutableRawSpan(_unsafeBytes: output)
        cipher.seal(value, for: key, in: table, into: &span)
        return UnsafeRawBufferPointer(output)
    }

    private func prepare(
        _ stored: RawSpan, _ transaction: OpaquePointer, _ bounds: ValueBounds, _ pages: PageGuard?
    ) throws(EngineError) {
        if keys.know(stored) { return }
        // Another process has added a key. One that the transaction does not know either is damage, which opening the
        // value finds.
        guard let home else { return }
        if let pages {
            let way = cipher.record.key.withRawSpan { key in
                Result { () throws(EngineError) in
                    unsafe try GuardedCommit(pages, transaction, bounds).check(key, in: home)
                }
            }
            try way.get()
        }
        var found = unsafe MDB_val()
        let code = cipher.record.key.withRawSpan { key in
            unsafe key.withMDBValue { wanted in unsafe mdb_get(transaction, home.identifier, &wanted, &found) }
        }
        if code == MDB_NOTFOUND { return }
        try check(code, "mdb_get")
        unsafe try bounds.check(found, in: transaction)
        keys = try cipher.keys(with: unsafe RawSpan(_unsafeStart: found.mv_data, byteCount: found.mv_size))
    }

    private func opened(
        _ stored: RawSpan, of key: RawSpan, in table: Table
    ) -> (bytes: UnsafeRawBufferPointer, isPlain: Bool) {
        let output = unsafe memory.allocate(max(0, stored.byteCount - cipher.overhead))
        var span = unsafe MutableRawSpan(_unsafeBytes: output)
        let isPlain = keys.open(stored, of: key, in: table, into: &span)
        return (UnsafeRawBufferPointer(output), isPlain)
    }
}

// MARK: - Cursors

extension PlainValues {
    /// Returns the plain values of a cursor over `table`, to be returned with ``end(_:)``.
    func begin(_ table: Table) -> PlainValues {
        let child = spare.take() ?? PlainValues(cipher, home: home)
        child.keys = keys
        child.table = table
        return child
    }

    /// Ends the use by a cursor.
    func end(_ child: PlainValues) {
        child.reset()
        spare = child
    }

    /// Moves the cursor to an entry, whose value is opened when it is read.
    ///
    /// - Throws: as ``ValueCipher/keys(with:)``.
    func move(
        to stored: RawSpan, of key: RawSpan, _ transaction: OpaquePointer, _ bounds: ValueBounds, _ pages: PageGuard?
    ) throws(EngineError) {
        reset()
        if let table, cipher.isPlain(key, in: table) {
            unsafe stored.withUnsafeBytes { bytes in unsafe current = unsafe bytes }
        } else {
            unsafe try prepare(stored, transaction, bounds, pages)
        }
    }

    /// Returns the plain value of the entry at the position, in memory that stays until the next move.
    func current(_ stored: RawSpan, of key: RawSpan) -> UnsafeRawBufferPointer {
        if let current = unsafe current { return unsafe current }
        guard let table else { preconditionFailure("plain values of no cursor") }
        let value = unsafe opened(stored, of: key, in: table).bytes
        unsafe current = unsafe value
        return unsafe value
    }

    /// The size of the plain value of the entry at the position; opens nothing.
    func currentSize(_ stored: RawSpan) -> Int {
        unsafe current?.count ?? max(0, stored.byteCount - cipher.overhead)
    }
}

/// Memory for values, given out piece by piece and taken back as a whole.
@safe
struct ValueMemory: ~Copyable {
    private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
    private var used = 0

    /// The size of the first chunk, and the most bytes that are kept for the next use.
    private static let (firstChunk, longestKept) = (4096, 256 << 10)

    deinit {
        // Allocated below, and freed nowhere else than in reset, which forgets them.
        unsafe chunks.forEach { chunk in unsafe chunk.deallocate() }
    }

    /// Returns `count` bytes that nothing else uses until the next reset.
    mutating func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if let last = unsafe chunks.last, last.count - used >= count {
            defer { used += count }
            return unsafe UnsafeMutableRawBufferPointer(rebasing: last[used..<used + count])
        }
        let size = max(count, Self.firstChunk, unsafe 2 * (chunks.last?.count ?? 0))
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, max(count, 4 << 20)), alignment: 16)
        unsafe chunks.append(chunk)
        used = count
        return unsafe UnsafeMutableRawBufferPointer(rebasing: chunk[0..<count])
    }

    /// Takes back all that was given out, and frees all but one chunk.
    mutating func reset() {
        used = 0
        if unsafe chunks.count <= 1, unsafe chunks.first?.count ?? 0 <= Self.longestKept { return }
        let kept = unsafe chunks.last { $0.count <= Self.longestKept }
        unsafe chunks.forEach { chunk in
            if unsafe chunk.baseAddress != kept?.baseAddress { unsafe chunk.deallocate() }
        }
        unsafe chunks = unsafe kept.map { unsafe [$0] } ?? []
    }
}
