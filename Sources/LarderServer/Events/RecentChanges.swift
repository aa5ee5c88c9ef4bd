/// The resources that changed lately, with the number of the last change of each.
struct RecentChanges: Sendable {
    /// The largest number of resources that are remembered.
    static let mostResources = 10_000

    /// The number of the latest change.
    private(set) var sequence: Int64
    /// All changes after this number are remembered.
    private var since: Int64
    private var numbers: [Origin.ResourceID: Int64] = [:]

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
        for resource in resources { numbers[resource] = sequence }
        if numbers.count > Self.mostResources { self = RecentChanges(after: sequence) }
    }

    /// Returns whether resources of a filter may have changed after a number.
    ///
    /// A number above ``sequence`` is that of a client which has a change that was not read here yet.
    func mayMatch(_ filter: ContentFilter, after position: Int64) -> Bool {
        if position >= sequence { return false }
        return position < since || numbers.contains { $0.value > position && filter.matches($0.key) }
    }
}
