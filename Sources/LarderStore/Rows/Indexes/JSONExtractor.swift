package import LarderFormat
package import LarderJSON

/// Reads the values at some paths out of JSON payloads, typed as SQLite's `json_extract` types them.
///
/// A number without fraction and exponent that fits 64 bits is an integer, any other number a real. `true` and `false`
/// are 1 and 0. A string is a text, its escapes decoded. An object or array is its JSON text without white space.
/// `null` and missing values are null. Of members with one name the first counts. A payload that is not JSON text (RFC
/// 8259, nested at most 1000 deep), or is marked with another codec, has null everywhere.
package struct JSONExtractor: Sendable {
    /// A place in the tree of the requested values; all of its parts are ranges of the arrays below.
    struct Node: Sendable {
        /// The requested values that are found here, by their positions among all.
        var slots = 0..<0
        var members = 0..<0
        var elements = 0..<0
    }

    /// A member to find: the place of its name, and its node.
    private struct Member: Sendable {
        let name: Range<Int>
        let node: Int
    }

    private struct Element: Sendable {
        let index: Int
        let node: Int
    }

    /// The requested values, as a tree; the first node is the whole text.
    let nodes: [Node]
    private let slots: [Int]
    private let members: [Member]
    private let elements: [Element]
    private let names: [UInt8]
    /// The number of values it reads.
    package let count: Int

    /// Reads the values at `paths`, in their order.
    package init(_ paths: [JSONPath]) {
        count = paths.count
        let (tree, places) = Self.tree(of: paths)
        var nodes: [Node] = []
        var (slots, members, elements, names) = ([Int](), [Member](), [Element](), [UInt8]())
        for (index, children) in tree.enumerated() {
            let (slot, member, element) = (slots.count, members.count, elements.count)
            slots += places.indices.filter { places[$0] == index }
            for (step, node) in children {
                switch step {
                case .member(let name):
                    members.append(Member(name: names.count..<names.count + name.count, node: node))
                    names += name
                case .element(let index): elements.append(Element(index: index, node: node))
                }
            }
            let node = Node(
                slots: slot..<slots.count, members: member..<members.count, elements: element..<elements.count)
            nodes.append(node)
        }
        (self.nodes, self.slots, self.members, self.elements, self.names) = (nodes, slots, members, elements, names)
    }

    /// Returns the nodes of a tree, each as its steps to other nodes, and the node of each path.
    private static func tree(of paths: [JSONPath]) -> (nodes: [[(step: JSONPath.Step, node: Int)]], places: [Int]) {
        var nodes: [[(step: JSONPath.Step, node: Int)]] = [[]]
        let places = paths.map { path in
            path.steps.reduce(0) { node, step in
                if let known = nodes[node].first(where: { $0.step == step }) { return known.node }
                nodes[node].append((step, nodes.count))
                nodes.append([])
                return nodes.count - 1
            }
        }
        return (nodes, places)
    }

    /// The values of one payload.
    ///
    /// - Complexity: O(*n*) in the bytes of the payload: all of it is read once, to check that it is JSON.
    package func values(of payload: RawSpan, codec: PayloadCodec) -> [IndexValue] {
        var values: [IndexValue] = []
        read(payload, codec: codec, into: &values)
        return values
    }

    /// Replaces the content of `values` by those of one payload; the memory of the array is used again.
    ///
    /// - Complexity: as ``values(of:codec:)``.
    package func read(_ payload: RawSpan, codec: PayloadCodec, into values: inout [IndexValue]) {
        clear(&values)
        guard codec == .json, count > 0 else { return }
        if readPlain(payload.bytes, &values) { return }
        clear(&values)
        var visited = VisitedNodes(count: nodes.count)
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes, limits: .stored)
            try read(0, try reader.token(), &reader, &values, &visited)
            try reader.finish()
        } catch {
            clear(&values)
        }
    }

    private func clear(_ values: inout [IndexValue]) {
        values.removeAll(keepingCapacity: true)
        for _ in 0..<count { values.append(.null) }
    }

    /// Reads the value that begins with `token`.
    private func read(
        _ index: Int, _ token: JSONToken, _ reader: inout JSONReader, _ values: inout [IndexValue],
        _ visited: inout VisitedNodes
    ) throws(JSONError) {
        visited.insert(index)
        let start = reader.range.lowerBound
        let value: JSONValue
        switch token {
        case .objectBegin where !nodes[index].members.isEmpty:
            try readMembers(index, &reader, &values, &visited)
            value = .object(start..<reader.position)
        case .arrayBegin where !nodes[index].elements.isEmpty:
            try readElements(index, &reader, &values, &visited)
            value = .array(start..<reader.position)
        default:
            value = try reader.value(of: token)
        }
        if nodes[index].slots.isEmpty { return }
        store(IndexValue(value, in: reader.bytes), of: index, &values)
    }

    /// Stores the value that is found at a node.
    func store(_ value: IndexValue, of node: Int, _ values: inout [IndexValue]) {
        for place in nodes[node].slots { values[slots[place]] = value }
    }

    /// Returns the node of the member of this name, or nil.
    func member(of node: Int, named name: Span<UInt8>) -> Int? {
        for place in nodes[node].members {
            let known = members[place].name
            if known.count == name.count, names.rawSpan.bytes.extracting(known).isSame(as: name) {
                return members[place].node
            }
        }
        return nil
    }

    private func readMembers(
        _ node: Int, _ reader: inout JSONReader, _ values: inout [IndexValue], _ visited: inout VisitedNodes
    ) throws(JSONError) {
        var missing = nodes[node].members.count
        while try reader.nextName() {
            if let member = member(of: node, named: reader.text.rawSpan.bytes), !visited.contains(member) {
                missing -= 1
                try read(member, try reader.token(), &reader, &values, &visited)
                if missing == 0 { return try reader.skipRest() }
            } else {
                _ = try reader.skipValue()
            }
        }
    }

    private func readElements(
        _ node: Int, _ reader: inout JSONReader, _ values: inout [IndexValue], _ visited: inout VisitedNodes
    ) throws(JSONError) {
        var index = 0
        while case let token = try reader.token(), token != .arrayEnd {
            if let place = nodes[node].elements.first(where: { elements[$0].index == index }) {
                try read(elements[place].node, token, &reader, &values, &visited)
            } else {
                _ = try reader.skip(token)
            }
            index += 1
        }
    }
}

/// The nodes that were met in one payload. Allocates nothing for up to 64 nodes.
struct VisitedNodes {
    private var first: UInt64 = 0
    private var others: [Bool] = []

    init(count: Int) {
        if count > 64 { others = [Bool](repeating: false, count: count - 64) }
    }

    func contains(_ node: Int) -> Bool { node < 64 ? first >> UInt64(node) & 1 == 1 : others[node - 64] }

    mutating func insert(_ node: Int) {
        if node < 64 { first |= 1 << UInt64(node) } else { others[node - 64] = true }
    }
}

extension Span where Element == UInt8 {
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        var index = 0
        while index < count, self[index] == other[index] { index += 1 }
        return index == count
    }
}

extension IndexValue {
    /// A value as SQLite's `json_extract` types it.
    init(_ value: JSONValue, in text: Span<UInt8>) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .integer(flag ? 1 : 0)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .string(let text): self = .text(text)
        case .object(let range), .array(let range):
            self = .text(String(decoding: JSONText.minified(text.extracting(range)), as: UTF8.self))
        }
    }
}
