internal import LarderEngine
internal import LarderFormat

/// The records of the generations whose rows a transaction has changed one by one.
///
/// They are kept until the transaction writes them, once each and not once a row.
final class RowTallies: CommitState {
    private struct Counted {
        /// The resource that shows the generation.
        let owner: ResourceKey
        var record: GenerationRecord
        var step: RowHistory.Step

        mutating func set(_ record: GenerationRecord, changing key: RowKey) {
            self.record = record
            step.append(key, digest: record.digest)
        }
    }

    private var counted: [Int64: Counted] = [:]
    /// The changes to the generations whose records the transaction has written.
    private(set) var steps: [RowHistory.Step] = []

    init(_ shared: SharedState) {}

    /// The record of a generation, if rows of it were changed.
    subscript(generation: Int64) -> GenerationRecord? { counted[generation]?.record }

    /// Keeps the record of the generation that a row was changed in.
    func set(_ record: GenerationRecord, of source: RowSource, changing key: RowKey, from digest: UInt64) {
        let number = source.generation
        counted[
            number,
            default: Counted(
                owner: source.owner, record: record, step: RowHistory.Step(generation: number, from: digest))
        ].set(record, changing: key)
    }

    /// Forgets a discarded generation, and returns its record.
    func remove(_ generation: Int64) -> GenerationRecord? { counted.removeValue(forKey: generation)?.record }

    /// Returns all records, in the order of their numbers, and forgets them; their steps are kept.
    fileprivate func removeAll() -> [(generation: Int64, owner: ResourceKey, record: GenerationRecord)] {
        defer { counted = [:] }
        steps += counted.values.map(\.step)
        return counted.sorted { $0.key < $1.key }.map { ($0.key, $0.value.owner, $0.value.record) }
    }
}

/// The part that writes the tallies. Registered after every part that may change rows, and before the one that
/// measures the size.
final class RowTallyWriter: CommitParticipant {
    init(_ file: FileContext) {}

    func complete(_ transaction: inout Transaction) throws { try transaction.writeTallies() }
}

extension Transaction {
    /// Counts the change of a row of a generation.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` where the generation has no readable record.
    mutating func count(_ tally: RowTally, of key: RowKey, in source: RowSource) throws {
        let tallies = state(RowTallies.self)
        guard var record = try tallies[source.generation] ?? tables.generation(source.generation, in: engine) else {
            let reason = FormatError.invalidValue(field: "liveGeneration", value: source.generation)
            throw StoreError.damaged(table: TableName.resources.rawValue, reason: reason)
        }
        let digest = record.digest
        try tally.apply(to: &record)
        tallies.set(record, of: source, changing: key, from: digest)
    }

    fileprivate mutating func writeTallies() throws {
        // The tallies are forgotten first: a record that is read with its tally would look unchanged.
        for (generation, owner, record) in effects.states.existing(RowTallies.self)?.removeAll() ?? [] {
            try putGeneration(generation, record)
            try update(owner) {
                $0.rowCount = record.rowCount
                $0.byteCount = record.byteCount
            }
        }
    }
}

/// The effect of changed rows on the count, the bytes and the digest of their generation.
struct RowTally {
    private(set) var rows: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var digest: UInt64 = 0

    mutating func add(key: Int, value: Int, checksum: UInt64) {
        rows += 1
        bytes += Int64(key + value)
        digest &+= checksum
    }

    mutating func remove(key: Int, value: Int, checksum: UInt64) {
        rows -= 1
        bytes -= Int64(key + value)
        digest &-= checksum
    }

    /// Adds the tally to a generation's record.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when the record counts less than was removed, or too much.
    func apply(to record: inout GenerationRecord) throws(StoreError) {
        record.rowCount = try Self.sum(record.rowCount, rows, "rowCount")
        record.byteCount = try Self.sum(record.byteCount, bytes, "byteCount")
        record.digest &+= digest
    }

    private static func sum(_ count: Int64, _ change: Int64, _ field: String) throws(StoreError) -> Int64 {
        let (sum, overflow) = count.addingReportingOverflow(change)
        if overflow || sum < 0 {
            let reason = FormatError.invalidValue(field: field, value: count)
            throw .damaged(table: TableName.generations.rawValue, reason: reason)
        }
        return sum
    }
}
