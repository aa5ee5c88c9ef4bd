internal import LarderEngine
internal import LarderFormat

/// One check of all tables of a read view.
///
/// It checks every record by itself, table by table, and then compares the tables with each other.
final class Verifier {
    /// The error of a callback, in contrast to those of the check.
    struct CallbackError: Error {
        let cause: any Error
    }

    /// The kinds of findings that one record, or its place in its table, shows by itself.
    private static let ownKinds: Set<Finding.Kind> = [.checksum, .key, .undecodable, .order, .duplicate, .structure]
    /// The number of records between two reports of progress.
    private static let progressStep = 1024

    let tables: Tables
    private let comparesRecords: Bool
    private let progress: (Int, Int) throws -> Void
    private let report: (Finding) throws -> Void
    private(set) var summary = VerifySummary()
    private var total = 0
    /// The tables that could not be read to the end, so that a record missing from them is no finding.
    private(set) var broken: Set<TableName> = []

    // The facts that were collected. Names in `damaged…` exist, but their records could not be read.
    var counters: CountersRecord?
    var pending = PendingContent()
    var resources: [ResourceKey: ResourceRecord] = [:]
    var damagedResources: Set<ResourceKey> = []
    var garbage: Set<GarbageKey> = []
    var generations: [Int64: GenerationRecord] = [:]
    var damagedGenerations: Set<Int64> = []
    var contents: [Int64: GenerationContent] = [:]
    var filters: Set<Int64> = []
    /// The record of the dictionaries, and the numbers of those that were found.
    var dictionaries: (named: DictionariesRecord?, found: Set<Int64>) = (nil, [])
    var indexes = WalkedIndexes()
    var blobs: [Int64: BlobContent] = [:]
    var blobOwners: [BlobOwner] = []
    /// Whether a record that could not be read may have named a blob.
    var hasDamagedBlobOwners = false
    var highest = HighestNumbers()
    private var storedSize: Int64 = 0

    init(
        tables: Tables, comparesRecords: Bool, findings: Int, progress: @escaping (Int, Int) throws -> Void,
        report: @escaping (Finding) throws -> Void
    ) {
        self.tables = tables
        self.comparesRecords = comparesRecords
        summary = VerifySummary(findings: findings)
        self.progress = progress
        self.report = report
    }

    func run(_ source: ReadTransaction) throws {
        for name in TableName.allCases {
            try ignoringDamagedPages { total += try source.statistics(of: tables[name]).entries }
        }
        try notify { try progress(0, total) }
        try verifyMeta(source)
        try verifyGarbage(source)
        try verifyResources(source)
        try verifyGenerations(source)
        try ignoringDamagedPages { indexes.declared = try tables.declaredIndexes(in: source) }
        try verifyRows(source)
        try verifyFilters(source)
        try verifyMembers(source)
        try verifyOutbox(source)
        try verifyJournal(source)
        try verifyOverlay(source)
        try verifyResponses(source)
        try verifyBlobs(source)
        try verifyCollections(source)
        try verifyIndexes(source)
        try verifyBuffers(source)
        if comparesRecords {
            try compareGenerations()
            try compareResources()
            try compareIndexes()
            try compareBlobs()
            try compareGarbage()
            try compareCounters(storedSize: storedSize)
        }
        summary.generations = Set(generations.keys).union(contents.keys).count
        try notify { try progress(summary.entries, total) }
    }

    func reportFinding(
        _ kind: Finding.Kind, in name: TableName, at location: @autoclosure () -> String, _ message: String,
        severity: Finding.Severity = .damage
    ) throws(CallbackError) {
        if !comparesRecords, !Self.ownKinds.contains(kind) { return }
        summary.findings += 1
        let finding = Finding(
            severity: severity, table: name.rawValue, kind: kind, location: location(), message: message)
        try notify { try report(finding) }
    }

    /// Reports a finding when the number in a record differs from the number found.
    func compare(
        _ recorded: some BinaryInteger, _ found: some BinaryInteger, _ what: String, in name: TableName,
        at location: @autoclosure () -> String, severity: Finding.Severity = .damage
    ) throws(CallbackError) {
        if recorded == found { return }
        try reportFinding(
            .count, in: name, at: location(), "\(recorded) \(what) noted, \(found) found", severity: severity)
    }

    /// Runs lookups of related records, whose damage is a finding of its own.
    func ignoringDamage(_ lookups: () throws -> Void) throws {
        do { try lookups() } catch is StoreError {}
    }

    /// Runs a read whose damage the walk of its table meets again, and reports.
    private func ignoringDamagedPages(_ read: () throws -> Void) throws {
        do { try read() } catch is StoreError {} catch let error as EngineError where error.isOfStoredBytes {}
    }

    private func notify(_ callback: () throws -> Void) throws(CallbackError) {
        do {
            try callback()
        } catch {
            throw CallbackError(cause: error)
        }
    }
}

// MARK: - Walking

extension Verifier {
    /// Calls `visit` with every entry of a table, and checks the order and the number of entries.
    ///
    /// - Throws: what `visit` throws; ``EngineError`` of the system, which says nothing of the content.
    func walk(_ name: TableName, _ source: ReadTransaction, _ visit: (borrowing Entry) throws -> Void) throws {
        var count = 0
        var previous: [UInt8] = []
        do {
            try source.withCursor(in: tables[name]) { cursor in
                while let entry = try cursor.next() {
                    count += 1
                    if count > 1, !previous.rawSpan.lexicographicallyPrecedes(entry.key) {
                        try reportFinding(
                            .order, in: name, at: Self.bytes(entry.key), "the key is not above the one before it")
                    }
                    previous.removeAll(keepingCapacity: true)
                    previous.append(copying: entry.key)
                    try countEntry(entry, name)
                    try visit(entry)
                }
            }
            let expected = try source.statistics(of: tables[name]).entries
            if expected != count {
                try reportFinding(
                    .count, in: name, at: "all", "LMDB counts \(expected) entries, the walk found \(count)")
            }
        } catch let error as EngineError where error.isOfStoredBytes {
            broken.insert(name)
            try reportFinding(.structure, in: name, at: "after \(count) entries", "reading ended early: \(error)")
        }
    }

    private func countEntry(_ entry: borrowing Entry, _ name: TableName) throws(CallbackError) {
        let size = Int64(entry.key.byteCount + entry.value.byteCount)
        summary.entries += 1
        summary.bytes += size
        if name != .meta { storedSize += size }
        let done = summary.entries
        if done % Self.progressStep == 0 { try notify { try progress(done, total) } }
    }

    /// Returns the decoded key, or nil after a finding.
    func key<Value>(
        of entry: borrowing Entry, _ name: TableName, _ decode: (RawSpan) throws(FormatError) -> Value
    ) throws(CallbackError) -> Value? {
        do throws(FormatError) {
            return try decode(entry.key)
        } catch {
            try reportFinding(.key, in: name, at: Self.bytes(entry.key), "\(error)")
            return nil
        }
    }

    /// Returns the decoded structured record, or nil after a finding.
    func record<Value>(
        of entry: borrowing Entry, _ name: TableName, at location: @autoclosure () -> String,
        _ decode: (RawSpan) throws(FormatError) -> Value
    ) throws(CallbackError) -> Value? {
        do throws(FormatError) {
            let body = try Record.open(
                entry.value, key: entry.key, seed: name.seed, codec: RecordHeader.tupleCodec)
            return try decode(body)
        } catch {
            try reportDamage(error, in: name, at: location())
            return nil
        }
    }

    /// Reports why a record could not be read.
    func reportDamage(_ error: FormatError, in name: TableName, at location: String) throws(CallbackError) {
        try reportFinding(error == .checksumMismatch ? .checksum : .undecodable, in: name, at: location, "\(error)")
    }

    /// Returns a key as hexadecimal bytes.
    static func bytes(_ key: RawSpan) -> String { TupleElement.bytes([UInt8](copying: key)).description }
}

/// The content of `rows` that was found of one generation.
struct GenerationContent {
    var owner: ResourceKey?
    var hasOwnerRow = false
    var rows: Int64 = 0
    var bytes: Int64 = 0
    var digest: UInt64 = 0
    /// The number of rows whose checksum could not be verified, because the owner is unknown.
    var unverified = 0

    /// Counts a row.
    mutating func add(_ entry: borrowing Entry) {
        rows += 1
        bytes += Int64(entry.key.byteCount + entry.value.byteCount)
        if let checksum = try? Record.checksum(of: entry.value) { digest &+= checksum }
    }
}

/// The highest number of each kind in use.
struct HighestNumbers {
    var generation: Int64 = 0
    var outboxSequence: Int64 = 0
    var filter: Int64 = 0
    var journalSequence: Int64 = 0
    var index: Int64 = 0
    var blob: Int64 = 0
    var collection: Int64 = 0
    var timeline: Int64 = 0
}
