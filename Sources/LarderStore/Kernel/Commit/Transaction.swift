internal import LarderEngine
internal import LarderFormat

/// One write transaction of the store, lent `inout` to a synchronous closure.
///
/// Every change in it becomes visible in one commit or not at all. Spans read from it end with its next change.
///
/// ```swift
/// let isNew = try await store.write { transaction in  // one commit; nothing is stored when something throws
///     let before = try transaction.payload(at: key)
///     try transaction.put(verse, at: key, updatedAt: now)
///     try transaction.removeRow(at: old)
///     return before == nil
/// }
/// print(isNew ? "added" : "replaced")
/// ```
public struct Transaction: ~Copyable {
    var writer: LarderEngine.WriteTransaction
    let tables: Tables
    /// The state that all opens of the file share, with the parts of the layers.
    let shared: SharedState
    /// The number of changes so far; distinguishes a failed body that changed nothing from one that has to be undone.
    var mutationCount: Int { writer.changeCount - changesBefore }
    private let changesBefore: Int
    /// The effects of the commit.
    var effects = CommitEffects()
    /// The counters as they will be written; nil while they have not changed.
    var counters: CountersRecord?
    /// The change of the stored size so far, in bytes.
    private(set) var sizeDelta: Int64 = 0
    /// The place of the rows of the resource that was looked up last; nil after a change of any resource.
    var lastSource: ShownSource?

    private init(_ writer: consuming LarderEngine.WriteTransaction, _ shared: SharedState) {
        changesBefore = writer.changeCount
        self.writer = writer
        self.shared = shared
        tables = shared.tables
    }

    /// Runs `body` in a transaction over `writer`; when it succeeds, has the participants complete it and writes the
    /// counters.
    static func run<Result>(
        _ writer: inout LarderEngine.WriteTransaction, _ shared: SharedState,
        _ body: (inout Transaction) throws -> Result
    ) throws -> (Result, CommitEffects) {
        var transaction = Transaction(writer, shared)
        let outcome = Swift.Result { () throws -> Result in
            let result = try body(&transaction)
            for participant in shared.participants { try participant.complete(&transaction) }
            try transaction.writeCounters()
            if transaction.mutationCount > 0 {
                transaction.effects.commit = transaction.commit
                transaction.effects.storedSize = transaction.counters?.storedSize
            }
            return result
        }
        let effects = transaction.effects
        writer = transaction.endBorrow()
        return (try outcome.get(), effects)
    }

    private consuming func endBorrow() -> LarderEngine.WriteTransaction {
        writer
    }

    /// The engine transaction to read through, including uncommitted changes; invalid after the next change.
    var engine: LarderEngine.ReadTransaction {
        @_lifetime(borrow self)
        get { writer.reader }
    }

    /// The number this commit will have.
    public var commit: UInt64 { engine.commit }

    /// Makes the commit fully durable, whatever durability the write requested.
    mutating func requireFullDurability() { writer.requireFullDurability() }

    /// The state of a layer in this transaction, made at its first use.
    func state<State: CommitState>(_ type: State.Type) -> State { effects.states.state(type, shared) }
}

// MARK: - Raw access with accounting

extension Transaction {
    /// Stores a whole value and counts its size.
    mutating func put(_ value: borrowing RawSpan, key: borrowing RawSpan, in name: TableName) throws {
        let old = try engine.valueSize(forKey: key, in: tables[name])
        try put(value, key: key, in: name, replacing: old)
    }

    /// As ``put(_:key:in:)``, for a caller that has read the value it replaces.
    ///
    /// - Parameters:
    ///   - compressed: the form in which the value is stored; nil for the plain one. It counts as the plain one.
    ///   - old: the plain size of the replaced value; nil where there is none.
    mutating func put(
        _ value: borrowing RawSpan, as compressed: [UInt8]? = nil, key: borrowing RawSpan, in name: TableName,
        replacing old: Int?
    ) throws {
        if name == .resources { lastSource = nil }
        let table = tables[name]
        if let compressed {
            try writer.set(compressed.rawSpan, forKey: key, in: table)
        } else {
            try writer.set(value, forKey: key, in: table)
        }
        if name != .meta {
            sizeDelta += Int64(value.byteCount) - Int64(old ?? -key.byteCount)
        }
    }

    /// Seals and stores a structured record.
    mutating func put(body: [UInt8], key: [UInt8], in name: TableName) throws {
        let value = Record.seal(body: body.rawSpan, key: key.rawSpan, seed: name.seed)
        try put(value.rawSpan, key: key.rawSpan, in: name)
    }

    /// As ``put(body:key:in:)``, with a key that `build` builds.
    mutating func put(body: [UInt8], in name: TableName, key build: (inout KeyBuffer) throws -> Void) throws {
        try put(body: body, key: Self.key(build), in: name)
    }

    /// Removes a record and counts its size; returns false when it was not there.
    @discardableResult
    mutating func remove(key: [UInt8], in name: TableName) throws -> Bool {
        guard let size = try engine.valueSize(forKey: key.rawSpan, in: tables[name]) else { return false }
        try remove(key.rawSpan, in: name, size: size)
        return true
    }

    /// Removes a record whose value has `size` bytes.
    mutating func remove(_ key: borrowing RawSpan, in name: TableName, size: Int) throws {
        if name == .resources { lastSource = nil }
        try writer.remove(key, in: tables[name])
        countRemoved(bytes: name == .meta ? 0 : Int64(key.byteCount + size))
    }

    /// Counts the bytes of records that were removed without the functions above; negative for records that were added.
    mutating func countRemoved(bytes: Int64) {
        sizeDelta -= bytes
    }

    /// Removes records whose keys begin with the elements `prefix`, from `start` on, until `limit` bytes are removed or
    /// the time is up.
    ///
    /// The values are not verified: garbage has no digest to keep, so damaged records are removed like all others.
    mutating func removeSome(
        of name: TableName, prefix: [UInt8], from start: [UInt8], bytes limit: Int64, isTimeUp: () -> Bool
    ) throws -> (count: Int64, bytes: Int64, isMore: Bool) {
        var bytes: Int64 = 0
        var isMore = false
        if name == .resources { lastSource = nil }
        let count = try writer.withCursor(in: tables[name]) { cursor in
            try cursor.removeWhile(from: start.rawSpan, limit: .max) { entry in
                // Stopping before an entry leaves it for the next batch; beyond the prefix there is nothing left.
                guard entry.key.beginsWith(elements: prefix) else { return false }
                if bytes >= limit || isTimeUp() {
                    isMore = true
                    return false
                }
                bytes += Int64(entry.key.byteCount + entry.valueSize)
                return true
            }
        }
        if count > 0 { countRemoved(bytes: bytes) }
        return (Int64(count), bytes, isMore)
    }

    static func key(_ build: (inout KeyBuffer) throws -> Void) throws(StoreError) -> [UInt8] {
        try KeyBuffer(build).array()
    }
}

// MARK: - Counters

extension Transaction {
    /// Returns the next number of a counter and advances the counter.
    mutating func next(_ counter: WritableKeyPath<CountersRecord, Int64>) throws -> Int64 {
        var current = try currentCounters()
        let number = current[keyPath: counter]
        let (following, overflow) = number.addingReportingOverflow(1)
        if overflow {
            let reason = FormatError.invalidValue(field: "counters", value: number)
            throw StoreError.damaged(table: TableName.meta.rawValue, reason: reason)
        }
        current[keyPath: counter] = following
        counters = current
        return number
    }

    /// The sequence of the next journal record.
    ///
    /// - Throws: as ``appliedPosition()``.
    package func nextJournalSequence() throws -> Int64 { try currentCounters().nextJournalSequence }

    /// Changes counters; they are written at the end of the transaction.
    mutating func updateCounters(_ edit: (inout CountersRecord) -> Void) throws {
        var current = try currentCounters()
        edit(&current)
        counters = current
    }

    func currentCounters() throws -> CountersRecord {
        if let counters { return counters }
        return try tables.counters(in: engine)
    }

    /// The stored size if the transaction were committed now, in bytes.
    ///
    /// - Throws: as ``appliedPosition()``.
    package func storedSize() throws -> Int64 {
        // A wrong size on the medium is a finding, not a reason to stop writing.
        let (size, overflow) = try currentCounters().storedSize.addingReportingOverflow(sizeDelta)
        return overflow ? .max : max(0, size)
    }

    private mutating func writeCounters() throws {
        guard counters != nil || sizeDelta != 0 else { return }
        var final = try currentCounters()
        final.storedSize = try storedSize()
        try put(body: final.encode(), key: CountersRecord.key, in: .meta)
    }
}
