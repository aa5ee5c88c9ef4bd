internal import LarderFormat
internal import LarderStore

extension Transaction {
    /// Has the other filters that hold a resource do again what they did for it after `sequence`, because its rows are
    /// about to go back there.
    ///
    /// The server sends a filter only what comes after its token. A token that stands for changes which the rows lack
    /// would lose them for ever, so it is discarded, and the filter bootstrapped. A run under way has to notice in any
    /// case: it may be past such changes.
    mutating func setBackOthers(holding resource: ResourceKey, to sequence: Int64, by run: FilterRun) throws {
        for (number, filter) in try filters() where number != run.number {
            guard let member = try member(ofFilter: number, resource) else { continue }
            let isBehind = filter.token != nil && filter.lastUntilSequence.map { $0 <= sequence } == true
            try updateFilter(filter.filter) { record in
                record.run += 1
                if isBehind { return }
                record.token = nil
                record.isBootstrapping = true
            }
            guard filter.isBootstrapping else { continue }
            _ = try carryOver(from: filter.run, to: filter.run + 1, ofFilter: number)
            try putMember(ofFilter: number, resource, MemberRecord(listedInRun: member.listedInRun))
        }
    }
}
