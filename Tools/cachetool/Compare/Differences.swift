import LarderFormat
import LarderStore

/// Finds and prints the differences between two stores.
struct Differences {
    /// The store that contains an item.
    enum Side: String {
        case a, b, both
    }

    let redactor: Redactor
    let isJSON: Bool
    private(set) var count = 0

    init(redactor: Redactor, isJSON: Bool) {
        self.redactor = redactor
        self.isJSON = isJSON
    }

    /// Prints one difference.
    mutating func report(_ side: Side, _ what: String, _ name: [String], _ differs: [String] = []) throws {
        try Interrupt.check()
        count += 1
        if isJSON {
            return try Terminal.print([
                "side": .string(side.rawValue), "what": .string(what),
                "name": .array(name.map { redactor.json($0) }), "differs": .array(differs.map { .string($0) }),
            ])
        }
        let sign =
            switch side {
            case .a: "-"
            case .b: "+"
            case .both: "~"
            }
        let names = name.map { redactor.text($0) }.joined(separator: " ")
        let how = differs.isEmpty ? "" : ": " + differs.joined(separator: ", ")
        try Terminal.print("\(sign) \(what) \(names)\(how)")
    }

    /// Merges two sorted lists, reporting items of one side and comparing those of both.
    mutating func merge<Element>(
        _ left: [Element], _ right: [Element], what: String, name: (Element) -> [String],
        precedes: (Element, Element) -> Bool,
        _ compare: (inout Differences, Element, Element) throws -> Void
    ) throws {
        var (i, j) = (0, 0)
        while i < left.count || j < right.count {
            if j == right.count || (i < left.count && precedes(left[i], right[j])) {
                try report(.a, what, name(left[i]))
                i += 1
            } else if i == left.count || precedes(right[j], left[i]) {
                try report(.b, what, name(right[j]))
                j += 1
            } else {
                try compare(&self, left[i], right[j])
                i += 1
                j += 1
            }
        }
    }

    /// Returns the names of the parts that differ.
    func differing(_ parts: [(name: String, isSame: Bool)]) -> [String] {
        parts.filter { !$0.isSame }.map(\.name)
    }
}

extension Differences {
    mutating func compareResources(_ first: borrowing ReadView, _ second: borrowing ReadView) throws {
        var shared: [(Resource, Resource)] = []
        try merge(
            first.allResources(), second.allResources(), what: "resource", name: { [$0.key.description] },
            precedes: { $0.key < $1.key }
        ) { differences, left, right in
            let differs = differences.differing([
                ("state", left.state == right.state),
                ("appliedSequence", left.appliedSequence == right.appliedSequence),
                ("snapshotPath", left.snapshotPath == right.snapshotPath),
                ("schemaVersion", left.schemaVersion == right.schemaVersion),
                ("pinned", left.isPinned == right.isPinned),
            ])
            if !differs.isEmpty { try differences.report(.both, "resource", [left.key.description], differs) }
            shared.append((left, right))
        }
        for (left, right) in shared { try compareRows(of: left, right, first, second) }
    }

    mutating func compareFilters(_ first: [FilterState], _ second: [FilterState]) throws {
        let left = first.sorted { Self.precedes($0.filter, $1.filter) }
        let right = second.sorted { Self.precedes($0.filter, $1.filter) }
        try merge(
            left, right, what: "filter", name: { [$0.filter] }, precedes: { Self.precedes($0.filter, $1.filter) }
        ) { differences, left, right in
            let differs = differences.differing([
                ("token", Self.isSame(left.token, right.token)),
                ("lastUntilSequence", left.lastUntilSequence == right.lastUntilSequence),
                ("bootstrapping", left.isBootstrapping == right.isBootstrapping),
                ("rejected", left.isRejected == right.isRejected),
            ])
            if !differs.isEmpty { try differences.report(.both, "filter", [left.filter], differs) }
            try differences.merge(
                left.members.sorted(), right.members.sorted(), what: "member",
                name: { [left.filter, $0.description] }, precedes: { $0 < $1 }, { _, _, _ in })
        }
    }

    mutating func compareOutbox(_ first: [OutboxEntry], _ second: [OutboxEntry]) throws {
        func precedes(_ left: OutboxEntry, _ right: OutboxEntry) -> Bool {
            (left.id.high, left.id.low) < (right.id.high, right.id.low)
        }
        try merge(
            first.sorted(by: precedes), second.sorted(by: precedes), what: "entry",
            name: { [$0.lane, $0.id.description] }, precedes: precedes
        ) { differences, left, right in
            let differs = differences.differing([
                ("lane", Self.isSame(left.lane, right.lane)),
                ("mutationType", Self.isSame(left.mutationType, right.mutationType)),
                ("method", Self.isSame(left.method, right.method)),
                ("endpoint", Self.isSame(left.endpoint, right.endpoint)),
                ("payload", left.payload == right.payload), ("attempts", left.tries == right.tries),
            ])
            if !differs.isEmpty { try differences.report(.both, "entry", [left.lane, left.id.description], differs) }
        }
        try compareOrder(first, second)
    }

    /// Reports a different order of the entries of one lane, because they are sent in order.
    private mutating func compareOrder(_ first: [OutboxEntry], _ second: [OutboxEntry]) throws {
        let left = Dictionary(grouping: first, by: { Array($0.lane.utf8) })
        let right = Dictionary(grouping: second, by: { Array($0.lane.utf8) })
        for (lane, entries) in left.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let others = right[lane, default: []].map(\.id)
            let mine = entries.map(\.id).filter(Set(others).contains)
            let theirs = others.filter(Set(mine).contains)
            if mine != theirs { try report(.both, "lane", [String(decoding: lane, as: UTF8.self)], ["order"]) }
        }
    }

    /// Returns whether two texts have the same bytes; Unicode equivalence is not enough.
    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
