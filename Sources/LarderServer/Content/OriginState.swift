/// The complete state of an origin; a value, so that readers can keep a copy while commands continue.
struct OriginState: Sendable {
    /// One resource, public or hidden.
    struct Resource: Sendable {
        var rows: RowTable
        /// The number of the change that made it public, or `nil` while it is hidden.
        var published: Int64?
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
    /// The groups of all resources that were ever created.
    private var createdGroups: Set<String> = []
    /// The changes that made the public resources public, ascending by sequence.
    private(set) var publications: [Origin.Change] = []
    /// The changes kept, ascending by sequence.
    var log: [Origin.Change] = []
    let changeLimit: Int

    init(schemaVersion: Int64, groups: GroupTable, changeLimit: Int) {
        self.schemaVersion = schemaVersion
        self.groups = groups
        self.changeLimit = changeLimit
    }

    /// Returns whether the origin serves that group: it is in the table or a resource of it was ever created.
    func hasGroup(_ group: String) -> Bool {
        groups[group] != nil || createdGroups.contains(group)
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

    /// Stores a resource as public from a change on, which it records.
    mutating func publish(_ resource: Origin.ResourceID, rows: RowTable, at now: Int64) -> Int64 {
        let sequence = record(.resourceCreate, of: resource, at: now)
        resources[resource] = Resource(rows: rows, published: sequence)
        createdGroups.insert(resource.group)
        publications.append(
            Origin.Change(sequence: sequence, resource: resource, kind: .resourceCreate, changedAt: now))
        return sequence
    }

    /// Stores a resource as hidden; does nothing when it is.
    mutating func hide(_ resource: Origin.ResourceID) {
        guard let sequence = resources[resource]?.published else { return }
        resources[resource]?.published = nil
        publications.remove(at: Self.index(after: sequence - 1, in: publications))
    }

    /// Removes the changes below `first`.
    mutating func removeChanges(before first: Int64) {
        guard first - 1 > removedThrough else { return }
        removedThrough = min(first - 1, sequence)
        log.removeFirst(Self.index(after: removedThrough, in: log))
    }

    /// Returns the index of the first change above `sequence`, by binary search.
    static func index(after sequence: Int64, in changes: [Origin.Change]) -> Int {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
