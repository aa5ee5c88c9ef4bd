internal import LarderEngine
package import LarderFormat
internal import Logging

/// Records that cannot be read and that syncing goes by.
package struct SyncDamage: Sendable {
    fileprivate var resources: [ResourceKey] = []
    fileprivate var filters: [Int64] = []
    fileprivate var members: [Member] = []

    fileprivate struct Member {
        let filter: Int64
        let resource: ResourceKey
    }

    /// Whether all can be read.
    package var isEmpty: Bool { resources.isEmpty && filters.isEmpty && members.isEmpty }
}

extension ReadView {
    /// The records of resources, filters and members that cannot be read, found by a look at all of them.
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
    /// Makes damaged records anew, so that the next run of a filter brings in what they lack.
    ///
    /// The text of a filter is lost with its record. It is taken for `canonicalText` if no other record has that and the
    /// filter covers all its members: whatever filter it was, this one then lists what is still there of them.
    ///
    /// - Parameters:
    ///   - canonicalText: a filter that is about to be run; nil for a list, which has none.
    ///   - covers: whether that filter covers a resource.
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
            // No run of it may take what an earlier one has listed for its own.
            record.run = members.map { max($0.record.listedInRun, $0.record.finishedInRun ?? 0) }.max() ?? 0
            record.isBootstrapping = true
            try put(body: record.encode(), in: .filters) { try FilterState.appendKey(number, to: &$0) }
            effects.changes.noteFilter(canonicalText)
            shared.host.logger.warning("the record of a filter was damaged, and it is bootstrapped anew")
        }
        // Each has its filters bootstrapped, so these have to be known by then.
        for resource in damage.resources { _ = try record(of: resource) }
    }
}

/// Has the filters bring a resource anew whose record was damaged.
final class MemberRestoring: RowStage {
    init(_ file: OpenFile) {}

    func restore(_ record: inout ResourceRecord, of resource: ResourceKey, in transaction: inout Transaction) throws {
        for (number, filter) in try transaction.filters() where try transaction.holds(resource, number) {
            // What the filter's token stands for is in the rows.
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
    /// What the keys say of the records of a table that cannot be read.
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
