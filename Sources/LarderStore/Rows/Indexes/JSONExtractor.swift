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
        let nothing = [IndexValue](repeating: .null, count: count)
        guard codec == .json else { return nothing }
        var values = nothing
        var isVisited = [Bool](repeating: false, count: nodes.count)
        do throws(JSONError) {
            var reader = JSONReader(payload.bytes, limits: .stored)
            try read(0, try reader.token(), &reader, &values, &isVisited)
            try reader.finish()
            return values
        } catch {
            return nothing
        }
    }

    /// Reads the value that begins with `token`.
    private func read(
        _ index: Int, _ token: JSONToken, _ reader: inout JSONReader, _ values: inout [IndexValue],
        _ isVisited: inout [Bool]
    ) throws(JSONError) {
        isVisited[index] = true
        let node = nodes[index]
        let start = reader.range.lowerBound
        let value: JSONValue
        switch token {
        case .objectBegin where !node.members.isEmpty:
            try readMembers(node, &reader, &values, &isVisited)
            value = .object(start..<reader.position)
        case .arrayBegin where !node.elements.isEmpty:
            try readElements(node, &reader, &values, &isVisited)
            value = .array(start..<reader.position)
        default:
            value = try reader.value(of: token)
        }
        if node.slots.isEmpty { return }
        let found = IndexValue(value, in: reader.bytes)
        for slot in node.slots { values[slot] = found }
    }

    private func readMembers(
        _ node: Node, _ reader: inout JSONReader, _ values: inout [IndexValue], _ isVisited: inout [Bool]
    ) throws(JSONError) {
        var missing = node.members.count
        while try reader.nextName() {
            if let place = reader.place(in: node.names), case let member = node.members[place], !isVisited[member] {
                missing -= 1
                try read(member, try reader.token(), &reader, &values, &isVisited)
                if missing == 0 { return try reader.skipRest() }
            } else {
                _ = try reader.skipValue()
            }
        }
    }

    private func readElements(
        _ node: Node, _ reader: inout JSONReader, _ values: inout [IndexValue], _ isVisited: inout [Bool]
    ) throws(JSONError) {
        var index = 0
        while case let token = try reader.token(), token != .arrayEnd {
            if let element = node.elements.first(where: { $0.index == index }) {
                try read(element.node, token, &reader, &values, &isVisited)
            } else {
                _ = try reader.skip(token)
            }
            index += 1
        }
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
