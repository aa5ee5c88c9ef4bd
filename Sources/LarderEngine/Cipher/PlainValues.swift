/// The plain values of one transaction, or of one cursor's position, with the memory that they lie in.
///
/// A stored value is opened where there is a cipher, and what that gives is decompressed where it is compressed. Spans of
/// plain values end with the transaction, or with the next move or change, as spans into the map do; the memory is used
/// again after that.
@safe
final class PlainValues {
    private let cipher: (any ValueCipher)?
    private let decompressor: (any ValueDecompressor)?
    /// The tables by name.
    private let tables: [String: Table]
    /// The table that may have compressed values; nil without a decompressor.
    private let compressed: Table?
    /// The keys that open values; nil without a cipher.
    private var keys: (any ValueKeys)?
    private var memory = ValueMemory()
    /// What lookups have made plain, where many views follow each other.
    private var recent: RecentValues?
    /// A child that waits for the next cursor.
    private var spare: PlainValues?

    // Of a cursor:

    /// The table of the cursor that this belongs to.
    private var table: Table?
    /// The transaction at the position of the cursor, where values may be compressed.
    private var source: ValueSource?
    /// The opened value at the position, once it was read.
    private var opened: UnsafeRawBufferPointer?
    /// The plain value at the position, once it was read.
    private var current: UnsafeRawBufferPointer?

    /// - Parameters:
    ///   - options: those of the environment; nil is made where they have neither a cipher nor a decompressor.
    ///   - tables: those of the environment, as far as they are open.
    ///   - isReused: whether many views use this one after the other.
    convenience init?(_ options: EnvironmentOptions, _ tables: [String: Table], isReused: Bool = false) {
        if options.cipher == nil, options.decompressor == nil { return nil }
        self.init(options.cipher, options.decompressor, tables)
        if isReused { recent = RecentValues() }
    }

    private init(
        _ cipher: (any ValueCipher)?, _ decompressor: (any ValueDecompressor)?, _ tables: [String: Table]
    ) {
        self.cipher = cipher
        self.decompressor = decompressor
        self.tables = tables
        compressed = decompressor.flatMap { tables[$0.tables.compressed] }
        keys = cipher?.keys()
    }

    /// Frees the memory for other values: no span of a plain value is in use any more.
    func reset() {
        unsafe (opened, current) = (nil, nil)
        memory.reset()
    }

    /// Begins another transaction, which may have other keys.
    func restart() {
        reset()
        keys = cipher?.keys()
    }

    /// Returns the plain value of `key`, in memory that stays until ``reset()``.
    ///
    /// - Throws: as ``ValueCipher/keys(with:)``.
    func value(
        _ stored: RawSpan, of key: RawSpan, in table: Table, _ source: ValueSource
    ) throws(EngineError) -> UnsafeRawBufferPointer {
        let isSealed = isSealed(key, in: table)
        if !isSealed, !isCompressed(stored, in: table) { return unsafe Self.bytes(of: stored) }
        if let known = unsafe recent?.find(stored, of: key, in: table.identifier) {
            let copy = unsafe memory.allocate(known.count)
            unsafe copy.copyMemory(from: known)
            return UnsafeRawBufferPointer(copy)
        }
        if isSealed { try prepare(stored, source) }
        let (opened, isOpened) =
            isSealed ? unsafe open(stored, of: key, in: table) : unsafe (Self.bytes(of: stored), true)
        let (value, isWhole) = unsafe decompressed(opened, in: table, source)
        if isOpened, isWhole { unsafe recent?.insert(value, stored, of: key, in: table.identifier) }
        return unsafe value
    }

    /// Returns the value of `key` as it was before it was sealed, in memory that stays until ``reset()``.
    ///
    /// - Throws: as ``ValueCipher/keys(with:)``.
    func openedValue(
        _ stored: RawSpan, of key: RawSpan, in table: Table, _ source: ValueSource
    ) throws(EngineError) -> UnsafeRawBufferPointer {
        if !isSealed(key, in: table) { return unsafe Self.bytes(of: stored) }
        try prepare(stored, source)
        return unsafe open(stored, of: key, in: table).bytes
    }

    /// Returns the size of the plain value of `key`.
    ///
    /// - Throws: as ``ValueCipher/keys(with:)``.
    func size(
        _ stored: RawSpan, of key: RawSpan, in table: Table, _ source: ValueSource
    ) throws(EngineError) -> Int {
        if !mayBeCompressed(table) { return openedSize(stored, of: key, in: table) }
        return unsafe plainSize(of: try openedValue(stored, of: key, in: table, source))
    }

    /// Returns the sealed form of `value`, in memory that stays until ``reset()``; nil where it is stored as it is.
    func sealed(_ value: RawSpan, for key: RawSpan, in table: Table) -> UnsafeRawBufferPointer? {
        guard let cipher, !cipher.isPlain(key, in: table) else { return nil }
        let output = unsafe memory.allocate(value.byteCount + cipher.overhead)
        var span = unsafe MutableRawSpan(_unsafeBytes: output)
        cipher.seal(value, for: key, in: table, into: &span)
        return UnsafeRawBufferPointer(output)
    }

    // MARK: Opening

    private func isSealed(_ key: RawSpan, in table: Table) -> Bool {
        guard let cipher else { return false }
        return !cipher.isPlain(key, in: table)
    }

    private func openedSize(_ stored: RawSpan, of key: RawSpan, in table: Table) -> Int {
        guard let cipher, !cipher.isPlain(key, in: table) else { return stored.byteCount }
        return max(0, stored.byteCount - cipher.overhead)
    }

    /// Makes the keys known that a value is sealed with.
    private func prepare(_ stored: RawSpan, _ source: ValueSource) throws(EngineError) {
        guard let cipher, let keys, !keys.know(stored) else { return }
        // Another process has added a key. One that the transaction does not know either is damage, which opening the
        // value finds.
        guard let home = tables[cipher.record.table] else { return }
        guard let record = unsafe try source.storedValue(cipher.record.key, in: home) else { return }
        self.keys = try cipher.keys(with: unsafe RawSpan(_unsafeBytes: record))
    }

    /// Returns the value that a sealed one gives, or one that every reader refuses, and which of the two it is.
    private func open(
        _ stored: RawSpan, of key: RawSpan, in table: Table
    ) -> (bytes: UnsafeRawBufferPointer, isOpened: Bool) {
        guard let cipher, let keys else { preconditionFailure("a sealed value without a cipher") }
        let output = unsafe memory.allocate(max(0, stored.byteCount - cipher.overhead))
        var span = unsafe MutableRawSpan(_unsafeBytes: output)
        let isOpened = keys.open(stored, of: key, in: table, into: &span)
        return (UnsafeRawBufferPointer(output), isOpened)
    }

    /// The address stays valid as long as the value is in place.
    private static func bytes(of value: RawSpan) -> UnsafeRawBufferPointer {
        unsafe value.withUnsafeBytes { bytes in unsafe bytes }
    }
}

// MARK: - Decompressing

extension PlainValues {
    private func mayBeCompressed(_ table: Table) -> Bool {
        guard let compressed else { return false }
        return table.identifier == compressed.identifier
    }

    private func isCompressed(_ opened: RawSpan, in table: Table) -> Bool {
        mayBeCompressed(table) && decompressor?.plainSize(of: opened) != nil
    }

    private func plainSize(of opened: UnsafeRawBufferPointer) -> Int {
        unsafe decompressor?.plainSize(of: RawSpan(_unsafeBytes: opened)) ?? opened.count
    }

    /// Returns the plain form of an opened value; of a damaged one the value itself.
    private func decompressed(
        _ opened: UnsafeRawBufferPointer, in table: Table, _ source: ValueSource?
    ) -> (bytes: UnsafeRawBufferPointer, isWhole: Bool) {
        let value = unsafe RawSpan(_unsafeBytes: opened)
        guard let decompressor, mayBeCompressed(table), let size = decompressor.plainSize(of: value) else {
            return unsafe (opened, true)
        }
        let output = unsafe memory.allocate(size)
        var span = unsafe MutableRawSpan(_unsafeBytes: output)
        var outcome = decompressor.decompress(value, into: &span)
        if case .needs(let record) = outcome, let source {
            load(record, source)
            outcome = decompressor.decompress(value, into: &span)
        }
        return outcome == .done ? (UnsafeRawBufferPointer(output), true) : unsafe (opened, false)
    }

    /// Adds a record that a value needs. One that cannot be read leaves the value damaged.
    private func load(_ place: [UInt8], _ source: ValueSource) {
        guard let decompressor, let home = tables[decompressor.tables.records] else { return }
        guard let stored = unsafe (try? source.storedValue(place, in: home)).flatMap({ unsafe $0 }) else { return }
        let value = unsafe RawSpan(_unsafeBytes: stored)
        place.withRawSpan { key in
            guard let record = unsafe try? openedValue(value, of: key, in: home, source) else { return }
            decompressor.load(unsafe RawSpan(_unsafeBytes: record), of: place)
        }
    }
}

// MARK: - Cursors

extension PlainValues {
    /// Returns the plain values of a cursor over `table`, to be returned with ``end(_:)``.
    func begin(_ table: Table) -> PlainValues {
        let child = spare.take() ?? PlainValues(cipher, decompressor, tables)
        child.keys = keys
        child.table = table
        return child
    }

    /// Ends the use by a cursor.
    func end(_ child: PlainValues) {
        child.reset()
        spare = child
    }

    /// Moves the cursor to an entry, whose value is made plain when it is read.
    ///
    /// - Throws: as ``ValueCipher/keys(with:)``.
    func move(to stored: RawSpan, of key: RawSpan, _ source: ValueSource) throws(EngineError) {
        reset()
        guard let table else { return }
        if mayBeCompressed(table) { self.source = source }
        if isSealed(key, in: table) { try prepare(stored, source) }
    }

    /// Returns the opened value of the entry at the position, in memory that stays until the next move.
    func currentOpened(_ stored: RawSpan, of key: RawSpan) -> UnsafeRawBufferPointer {
        if let opened = unsafe opened { return unsafe opened }
        guard let table else { preconditionFailure("plain values of no cursor") }
        let value =
            isSealed(key, in: table) ? unsafe open(stored, of: key, in: table).bytes : unsafe Self.bytes(of: stored)
        unsafe opened = unsafe value
        return unsafe value
    }

    /// Returns the plain value of the entry at the position, in memory that stays until the next move.
    func current(_ stored: RawSpan, of key: RawSpan) -> UnsafeRawBufferPointer {
        if let current = unsafe current { return unsafe current }
        guard let table else { preconditionFailure("plain values of no cursor") }
        let opened = unsafe currentOpened(stored, of: key)
        let value = unsafe decompressed(opened, in: table, source).bytes
        unsafe current = unsafe value
        return unsafe value
    }

    /// The size of the plain value of the entry at the position.
    func currentSize(_ stored: RawSpan, of key: RawSpan) -> Int {
        guard let table else { preconditionFailure("plain values of no cursor") }
        if mayBeCompressed(table) { return unsafe plainSize(of: currentOpened(stored, of: key)) }
        return openedSize(stored, of: key, in: table)
    }
}
