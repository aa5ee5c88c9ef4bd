/// The complete state of an origin; a value, so that readers can keep a copy while commands continue.
struct OriginState: Sendable {
    /// One resource, public or hidden.
    struct Resource: Sendable {
        var rows: RowTable
        /// The number and time of the change that made it public, or `nil` while it is hidden.
        var published: Publication?
    }

    /// The change that made a resource public.
    struct Publication: Sendable {
        let sequence: Int64
        let changedAt: Int64
    }

    /// The number of the latest change; 0 before the first.
    var sequence: Int64 = 0
    /// Changes up to this number are forgotten.
    var removedThrough: Int64 = 0
    /// Tokens and cursors of another epoch are refused.
    var epoch: Int64 = 0
    var schemaVersion: Int64
    var groups: GroupTable
    var resources: [Origin.ResourceID: Resource] = [:]
    /// The changes kept, ascending by sequence.
    var log: [Origin.Change] = []
    let changeLimit: Int

    /// Returns whether the origin serves that group: it is in the table or a resource of it was ever created.
    func hasGroup(_ group: String) -> Bool {
        groups[group] != nil || resources.keys.contains { $0.group == group }
    }

    func rules(of group: String) -> GroupRules { groups[group] ?? GroupTable.openRules }

    /// Records a change and gives it the next number.
    mutating func record(_ kind: Origin.Change.Kind, of resource: Origin.ResourceID, at now: Int64) -> Int64 {
        sequence += 1
        log.append(Origin.Change(sequence: sequence, resource: resource, kind: kind, changedAt: now))
        // Trimming only a quarter above the limit keeps the cost of a change constant on average.
        if log.count > changeLimit + changeLimit / 4 { removeChanges(before: log[log.count - changeLimit].sequence) }
        return sequence
    }

    /// Removes the changes below `first`.
    mutating func removeChanges(before first: Int64) {
        guard first - 1 > removedThrough else { return }
        removedThrough = min(first - 1, sequence)
        log.removeFirst(index(after: removedThrough))
    }

    /// Returns the index in the log of the first change above `sequence`, by binary search.
    func index(after sequence: Int64) -> Int {
        var low = 0
        var high = log.count
        while low < high {
            let middle = (low + high) / 2
            if log[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
