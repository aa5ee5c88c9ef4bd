/// The resources that changed lately, with the number of the last change of each.
struct RecentChanges: Sendable {
    private struct Group {
        /// The number of the latest change of a resource of the group.
        var latest: Int64
        /// The number of the last change of each resource that changed.
        var numbers: [Int64: Int64] = [:]
    }

    /// The largest number of resources that are remembered.
    static let mostResources = 10_000

    /// The number of the latest change.
    private(set) var sequence: Int64
    /// All changes after this number are remembered.
    private var since: Int64
    private var groups: [String: Group] = [:]
    private var count = 0

    /// Creates a memory of the changes after a number.
    init(after sequence: Int64) {
        self.sequence = sequence
        since = sequence
    }

    /// Adds the changes after the latest that is known.
    ///
    /// After a restored backup, the latest change may have a lower number: nothing that is remembered counts then.
    mutating func add(_ changed: ChangedResources) {
        guard changed.sequence >= sequence, let resources = changed.resources else {
            self = RecentChanges(after: changed.sequence)
            return
        }
        sequence = changed.sequence
        for resource in resources {
            let isNew =
                groups[resource.group, default: Group(latest: sequence)].numbers.updateValue(
                    sequence, forKey: resource.id) == nil
            groups[resource.group]?.latest = sequence
            if isNew { count += 1 }
        }
        if count > Self.mostResources { self = RecentChanges(after: sequence) }
    }

    /// Returns whether resources of a filter may have changed after a number.
    ///
    /// A number above ``sequence`` is that of a client which has a change that was not read here yet.
    ///
    /// - Complexity: O(*n*) for a filter of *n* groups and ids, however much has changed: it is called for each filter of
    ///   each client that listens.
    func mayMatch(_ filter: ContentFilter, after position: Int64) -> Bool {
        if position >= sequence { return false }
        if position < since { return true }
        return filter.groups.contains { name in
            guard let group = groups[name], group.latest > position else { return false }
            guard let ids = filter.ids(of: name) else { return true }
            return ids.contains { id in group.numbers[id].map { $0 > position } ?? false }
        }
    }
}
