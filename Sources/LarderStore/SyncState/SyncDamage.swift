internal import LarderEngine
package import LarderFormat
internal import Logging

/// The records that syncing needs and that cannot be read.
package struct SyncDamage: Sendable {
    fileprivate var resources: [ResourceKey] = []
    fileprivate var filters: [Int64] = []
    fileprivate var members: [Member] = []

    fileprivate struct Member {
        let filter: Int64
        let resource: ResourceKey
    }

    /// Whether all records can be read.
    package var isEmpty: Bool { resources.isEmpty && filters.isEmpty && members.isEmpty }
}

extension ReadView {
    /// The records of resources, filters and members that cannot be read, found by reading all of them.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func syncDamage() throws -> SyncDamage {
        var damage = SyncDamage()
        damage.resources = try tables.damagedKeys(
            .resources, in: transaction, ResourceRecord.decodeKey, ResourceRecord.init(decoding:))
        damage.filters = try tables.damagedKeys(
            .filters, in: transaction, FilterState.decodeKey, FilterState.init(decoding:))
        damage.members = try tables.damagedKeys(
            .members, in: transaction,
            { (key) throws(FormatError) in
                let (filter, resource) = try MemberRecord.decodeKey(key)
                return SyncDamage.Member(filter: filter, resource: resource)
            }, MemberRecord.init(decoding:))
        return damage
    }
}

extension Transaction {
    /// Rebuilds damaged records, so that the next run of a filter brings in what they lack.
    ///
    /// The text of a filter is lost with its record. It is assumed to be `canonicalText` if no other record has that
    /// and the filter covers all its members. That filter then lists those that are still there, whatever the lost text
    /// was.
    ///
    /// - Parameters:
    ///   - canonicalText: a filter that is about to be run; nil for a list, which has none.
    ///   - covers: whether that filter covers a resource.
    /// - Throws: ``StoreError``; ``EngineError``.
    package mutating func restore(
        _ damage: SyncDamage, for canonicalText: String?, covers: (ResourceKey) -> Bool = { _ in false }
    ) throws {
        for member in damage.members {
            try put(body: MemberRecord(listedInRun: 0).encode(), in: .members) {
                try MemberRecord.appendKey(filter: member.filter, resource: member.resource, to: &$0)
            }
        }
        for number in damage.filters {
            guard let canonicalText, try filter(canonicalText) == nil else { break }
            let members = try members(ofFilter: number)
            guard members.allSatisfy({ covers($0.resource) }) else { continue }
            var record = FilterState(filter: canonicalText)
            // No run of it may count members that an earlier run has listed as its own.
            record.run = members.map { max($0.record.listedInRun, $0.record.finishedInRun ?? 0) }.max() ?? 0
            record.isBootstrapping = true
            try put(body: record.encode(), in: .filters) { try FilterState.appendKey(number, to: &$0) }
            effects.changes.addFilter(canonicalText)
            shared.host.logger.warning("the record of a filter was damaged; the filter is bootstrapped again")
        }
        // Rebuilding a resource has its filters bootstrapped, so these have to be known by then.
        for resource in damage.resources { _ = try record(of: resource) }
    }
}

/// The part that has the filters fetch a resource again whose record was damaged.
final class MembershipRestorer: RowChangeHandler {
    init(_ file: FileContext) {}

    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws {
        for (number, filter) in try transaction.filters() where try transaction.isMember(resource, of: number) {
            // The rows contain everything up to the sequence of the filter's token.
            record.applied = max(
                record.applied, ServerPosition(filter.timeline, filter.lastUntilSequence ?? 0))
            let listed = (try? transaction.member(ofFilter: number, resource))?.listedInRun ?? 0
            try transaction.put(body: MemberRecord(listedInRun: listed).encode(), in: .members) {
                try MemberRecord.appendKey(filter: number, resource: resource, to: &$0)
            }
            if filter.token == nil { continue }
            try transaction.updateFilter(filter.filter) { filter in
                filter.token = nil
                filter.isBootstrapping = true
            }
        }
    }
}

extension Tables {
    /// The keys of the records of a table that cannot be read.
    fileprivate func damagedKeys<Key, Value>(
        _ name: TableName, in source: ReadTransaction, _ decodeKey: (RawSpan) throws(FormatError) -> Key,
        _ decode: (RawSpan) throws(FormatError) -> Value
    ) throws -> [Key] {
        var found: [Key] = []
        try forEachRaw(name, prefix: [], in: source) { entry in
            guard let key = try? decodeKey(entry.key) else { return true }
            let (bytes, value) = (entry.key, entry.value)
            let record = try? decoding(name) { () throws(FormatError) in
                try decode(try Record.open(value, key: bytes, seed: name.seed, codec: RecordHeader.tupleCodec))
            }
            if record == nil { found.append(key) }
            return true
        }
        return found
    }
}
