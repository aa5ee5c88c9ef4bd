// ModelList: a list on a server whose order is stable under changes.

internal import LarderTesting

/// A list on a server, in an order that changes do not touch: items come, go and change, and none changes places.
struct ModelList: Sendable {
    /// The order that a list is in.
    enum Order: CaseIterable, Sendable {
        /// Decimal keys by value, which is the store's order.
        case number
        /// Hexadecimal keys by their bytes; the store has those of digits alone in front.
        case bytes
        /// Names without regard to case.
        case caseless
        /// Decimal keys, the last made first.
        case newestFirst

        /// Whether a server can go on behind a key of it.
        var hasKeys: Bool { self == .number || self == .bytes }
    }

    /// One item.
    struct Item: Hashable, Sendable {
        let key: String
        var text: String
    }

    let order: Order
    /// The items in the list.
    private(set) var items: [Item] = []
    /// Items that were taken out of the list and may return.
    private var hidden: [Item] = []
    /// The keys that were in the list all the time since ``beginPass()``.
    private(set) var unchangedKeys: Set<String> = []
    private var made = 0

    init(_ order: Order, count: Int, using generator: inout SeededGenerator) {
        self.order = order
        for _ in 0..<count { insert(using: &generator) }
    }

    /// Begins to note what stays.
    mutating func beginPass() { unchangedKeys = Set(items.map(\.key)) }

    /// Changes something.
    mutating func change(using generator: inout SeededGenerator) {
        switch generator.below(10) {
        case 0..<3: insert(using: &generator)
        case 3..<6: remove(keeping: false, using: &generator)
        case 6: remove(keeping: true, using: &generator)
        case 7:
            guard !hidden.isEmpty else { return }
            insertInOrder(hidden.remove(at: generator.below(hidden.count)))
        default:
            guard !items.isEmpty else { return }
            items[generator.below(items.count)].text = "edited \(generator.below(1000))"
        }
    }

    private mutating func insert(using generator: inout SeededGenerator) {
        made += 1
        let number = order == .newestFirst ? made : generator.below(100) * 1000 + made
        insertInOrder(Item(key: key(number), text: "made \(made)"))
    }

    private func key(_ number: Int) -> String {
        switch order {
        case .number, .newestFirst: String(number)
        case .bytes: String(number, radix: 16)
        case .caseless: (number.isMultiple(of: 2) ? "Name" : "name") + String(number, radix: 36)
        }
    }

    private mutating func remove(keeping isUnchanged: Bool, using generator: inout SeededGenerator) {
        guard !items.isEmpty else { return }
        let item = items.remove(at: generator.below(items.count))
        unchangedKeys.remove(item.key)
        if isUnchanged { hidden.append(item) }
    }

    private mutating func insertInOrder(_ item: Item) {
        items.insert(item, at: items.firstIndex { isBefore(item.key, $0.key) } ?? items.count)
    }

    /// Whether one key comes before another in the order of the list.
    func isBefore(_ left: String, _ right: String) -> Bool {
        switch order {
        case .number: (Int(left) ?? 0) < (Int(right) ?? 0)
        case .newestFirst: (Int(left) ?? 0) > (Int(right) ?? 0)
        case .bytes: left.utf8.lexicographicallyPrecedes(right.utf8)
        case .caseless: (left.lowercased(), left) < (right.lowercased(), right)
        }
    }
}
