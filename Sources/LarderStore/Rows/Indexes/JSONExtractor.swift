package import LarderFormat
package import LarderJSON

/// Reads the values at some paths out of JSON payloads, typed as SQLite's `json_extract` types them.
///
/// A number without fraction and exponent that fits 64 bits is an integer, any other number a real. `true` and `false`
/// are 1 and 0. A string is a text, its escapes decoded. An object or array is its JSON text without white space.
/// `null` and missing values are null. Of members with one name the first counts. A payload that is not JSON text (RFC
/// 8259, nested at most 1000 deep), or is marked with another codec, has null everywhere.
package struct JSONExtractor: Sendable {
    private struct Node: Sendable {
        /// The positions, among the requested values, of those found here.
        var slots: [Int] = []
        /// The names of the members to find; `members` has the node of each.
        var names: [[UInt8]] = []
        var members: [Int] = []
        var elements: [(index: Int, node: Int)] = []

        var isLeaf: Bool { members.isEmpty && elements.isEmpty }
    }

    /// The requested values, as a tree; the first node is the whole text.
    private var nodes = [Node()]
    /// The number of values it reads.
    package let count: Int

    /// Reads the values at `paths`, in their order.
    package init(_ paths: [JSONPath]) {
        count = paths.count
        for (slot, path) in paths.enumerated() {
            var node = 0
            for step in path.steps { node = child(of: node, step) }
            nodes[node].slots.append(slot)
        }
    }

    private mutating func child(of node: Int, _ step: JSONPath.Step) -> Int {
        switch step {
        case .member(let name):
            if let known = nodes[node].names.firstIndex(of: name) { return nodes[node].members[known] }
            nodes[node].names.append(name)
            nodes[node].members.append(nodes.count)
        case .element(let index):
            if let known = nodes[node].elements.first(where: { $0.index == index }) { return known.node }
            nodes[node].elements.append((index, nodes.count))
        }
        nodes.append(Node())
        return nodes.count - 1
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
        let found = IndexValue(value, in: reader.bytes)
        for slot in nodes[index].slots { values[slot] = found }
    }

    private func readMembers(
        _ node: Int, _ reader: inout JSONReader, _ values: inout [IndexValue], _ visited: inout VisitedNodes
    ) throws(JSONError) {
        var missing = nodes[node].members.count
        while try reader.nextName() {
            if let place = reader.place(in: nodes[node].names), case let member = nodes[node].members[place],
                !visited.contains(member)
            {
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
            if let element = nodes[node].elements.first(where: { $0.index == index }) {
                try read(element.node, token, &reader, &values, &visited)
            } else {
                _ = try reader.skip(token)
            }
            index += 1
        }
    }
}

/// The nodes that were met in one payload. Allocates nothing for up to 64 nodes.
private struct VisitedNodes {
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

extension IndexValue {
    /// A value as SQLite's `json_extract` types it.
    fileprivate init(_ value: JSONValue, in text: Span<UInt8>) {
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
