internal import LarderEngine
internal import LarderFormat

/// One write transaction of the store, lent `inout` to a synchronous closure.
///
/// Every change in it becomes visible in one commit or not at all. Spans read from it end with its next change.
public struct Transaction: ~Copyable {
    var engine: LarderEngine.WriteTransaction
    let tables: Tables
    /// The cap on what is stored, and where the search for something to evict stands.
    let room: Room
    /// How often something was changed: tells a failed body that did nothing from one that has to be undone.
    private(set) var mutationCount = 0
    /// What the commit sets off.
    var effects = CommitEffects()
    /// Resources that local writes lie over and whose floor or rows have changed, so that some may be released.
    var unsettled: Set<ResourceKey> = []
    /// What else is to be looked at, as some may be released.
    var releases = ReleaseOrders()
    /// The declared indexes, as far as they were needed.
    var indexCache = IndexCache()
    private var counters: CountersRecord?
    /// By how many bytes the stored size has changed so far.
    private(set) var sizeDelta: Int64 = 0

    private init(_ engine: consuming LarderEngine.WriteTransaction, _ tables: Tables, _ room: Room) {
        self.engine = engine
        self.tables = tables
        self.room = room
    }

    /// Wraps `engine` for the length of `body`; when it succeeds, releases what may be, makes room and writes
    /// the counters.
    static func run<Result>(
        _ engine: inout LarderEngine.WriteTransaction, _ tables: Tables, _ room: Room,
        _ body: (inout Transaction) throws -> Result
    ) throws -> (Result, CommitEffects) {
        var transaction = Transaction(engine, tables, room)
        let outcome = Swift.Result { () throws -> Result in
            let result = try body(&transaction)
            try transaction.settle()
            try transaction.makeRoom()
            try transaction.writeCounters()
            return result
        }
        let effects = transaction.effects
        engine = transaction.endBorrow()
        return (try outcome.get(), effects)
    }

    private consuming func endBorrow() -> LarderEngine.WriteTransaction {
        engine
    }

    /// The number this commit will have.
    public var commit: UInt64 { engine.commit }
}

// MARK: - Raw access with accounting

extension Transaction {
    /// Stores a whole value and counts its size.
    mutating func put(_ value: borrowing RawSpan, key: borrowing RawSpan, in name: TableName) throws {
        let table = tables[name]
        let old = try engine.value(forKey: key, in: table)?.byteCount
        mutationCount += 1
        try engine.set(value, forKey: key, in: table)
        if name != .meta {
            sizeDelta += Int64(value.byteCount) - Int64(old ?? -key.byteCount)
        }
    }

    /// Seals and stores a structured record.
    mutating func put(body: [UInt8], key: [UInt8], in name: TableName) throws {
        let value = Record.seal(body: body.rawSpan, key: key.rawSpan, seed: name.seed)
        try put(value.rawSpan, key: key.rawSpan, in: name)
    }

    /// As ``put(body:key:in:)``, with a key that `build` puts together.
    mutating func put(
        body: [UInt8], in name: TableName, key build: (inout KeyBuffer) throws(FormatError) -> Void
    ) throws {
        try put(body: body, key: Self.key(build), in: name)
    }

    /// Removes a record and counts its size; false when it was not there.
    @discardableResult
    mutating func remove(key: [UInt8], in name: TableName) throws -> Bool {
        guard let size = try engine.value(forKey: key.rawSpan, in: tables[name])?.byteCount else { return false }
        mutationCount += 1
        try engine.remove(key.rawSpan, in: tables[name])
        noteRemoved(bytes: Int64(key.count + size))
        return true
    }

    /// Counts what was removed or added around the accounting above.
    mutating func noteRemoved(bytes: Int64) {
        mutationCount += 1
        sizeDelta -= bytes
    }

    static func key(_ build: (inout KeyBuffer) throws(FormatError) -> Void) throws(StoreError) -> [UInt8] {
        do throws(FormatError) {
            var buffer = KeyBuffer()
            try build(&buffer)
            return buffer.array()
        } catch {
            throw .invalid(error)
        }
    }
}

// MARK: - Counters

extension Transaction {
    /// Takes the next number of a counter.
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

    /// The sequence that the journal gives next.
    package func nextJournalSequence() throws -> Int64 { try currentCounters().nextJournalSequence }

    /// The sequence that the outbox gives next.
    func nextOutboxSequence() throws -> Int64 { try currentCounters().nextOutboxSequence }

    /// Counts what is to be sent.
    mutating func countPending(entries: Int64, byteCount: Int64) throws {
        var current = try currentCounters()
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        current.pendingEntries = max(0, current.pendingEntries.addingReportingOverflow(entries).partialValue)
        current.pendingBytes = max(0, current.pendingBytes.addingReportingOverflow(byteCount).partialValue)
        counters = current
    }

    /// Counts nothing as to be sent.
    mutating func forgetPending() throws {
        let pending = try currentCounters()
        if pending.pendingEntries != 0 || pending.pendingBytes != 0 {
            try countPending(entries: -pending.pendingEntries, byteCount: -pending.pendingBytes)
        }
    }

    /// What is to be sent.
    func pendingCounts() throws -> PendingOutbox { PendingOutbox(counters: try currentCounters()) }

    private func currentCounters() throws -> CountersRecord {
        if let counters { return counters }
        return try tables.counters(in: engine)
    }

    /// The stored size if the transaction were committed now, in bytes.
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
