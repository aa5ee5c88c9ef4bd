/// The resources that a client wants to sync, in canonical form.
///
/// Groups are sorted by their UTF-8 bytes and merged, ids are sorted as numbers without duplicates, and `*` absorbs
/// ids: `translations:6,1,6` and `translations:1,6` are one filter.
public struct ContentFilter: Hashable, Sendable, CustomStringConvertible {
    /// The longest text accepted, in UTF-8 bytes: cursors contain the filter, and URLs contain the cursors.
    public static let longest = 8192

    private enum Selection: Hashable, Sendable {
        case all
        case ids(Set<Int64>)
    }

    private let selections: [String: Selection]
    /// The canonical text.
    public let description: String

    /// Parses `group:*` and `group:id,id` parts joined by `;`.
    ///
    /// - Returns: `nil` for an empty or overlong text, an invalid group name, or an id that is no decimal number of 1
    ///   and above.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        var selections: [String: Selection] = [:]
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, GroupTable.isName(String(halves[0])) else { return nil }
            guard let selection = Self.selection(halves[1]) else { return nil }
            selections.merge([(String(halves[0]), selection)]) { old, new in Self.union(old, new) }
        }
        self.selections = selections
        description = Self.canonical(selections)
    }

    /// The names of the groups, in no particular order.
    public var groups: some Collection<String> { selections.keys }

    /// The groups of which all resources are wanted.
    package var wholeGroups: [String] { selections.filter { $0.value == .all }.map(\.key) }

    /// The resources that are wanted by their names.
    package var resources: [Origin.ResourceID] {
        selections.flatMap { group, selection -> [Origin.ResourceID] in
            guard case .ids(let ids) = selection else { return [] }
            return ids.map { Origin.ResourceID(group, $0) }
        }
    }

    /// Returns the ids that are wanted of a group; `nil` for all of them.
    func ids(of group: String) -> Set<Int64>? {
        switch selections[group] {
        case nil: []
        case .all: nil
        case .ids(let ids): ids
        }
    }

    /// Returns whether the filter includes `resource`.
    public func matches(_ resource: Origin.ResourceID) -> Bool {
        switch selections[resource.group] {
        case nil: false
        case .all: true
        case .ids(let ids): ids.contains(resource.id)
        }
    }

    private static func selection(_ text: Substring) -> Selection? {
        var ids: Set<Int64> = []
        var hasAll = false
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            if item == "*" {
                hasAll = true
                continue
            }
            // A sign or leading zeros would be second spellings.
            guard let id = Int64(item), id >= 1, String(id) == item else { return nil }
            ids.insert(id)
        }
        return hasAll ? .all : .ids(ids)
    }

    private static func union(_ one: Selection, _ other: Selection) -> Selection {
        guard case .ids(let ids) = one, case .ids(let more) = other else { return .all }
        return .ids(ids.union(more))
    }

    private static func canonical(_ selections: [String: Selection]) -> String {
        let sorted = selections.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let parts = sorted.map { group, selection in
            switch selection {
            case .all: group + ":*"
            case .ids(let ids): group + ":" + ids.sorted().map { String($0) }.joined(separator: ",")
            }
        }
        return parts.joined(separator: ";")
    }
}
