package import LarderFormat
package import LarderJSON

/// Reads the values at some paths out of JSON payloads, typed as SQLite's `json_extract` types them.
///
/// A number without fraction and exponent that fits 64 bits is an integer, any other number a real; `true` and `false`
/// are 1 and 0; a string is a text, its escapes decoded; an object or array is its JSON text without white space;
/// `null` and what is not there are null. Of members with one name the first counts. A payload that is no JSON text
/// (RFC 8259, nested at most 1000 deep), or is marked with another codec, has null everywhere.
package struct JSONExtractor: Sendable {
    private struct Node: Sendable {
        /// Which of the values asked for are found here.
        var slots: [Int] = []
        var members: [(name: [UInt8], node: Int)] = []
        var elements: [(index: Int, node: Int)] = []

        var isLeaf: Bool { members.isEmpty && elements.isEmpty }
    }

    /// What to look for, as a tree; the first node is the whole text.
    private var nodes = [Node()]
    /// How many values it reads.
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
            if let known = nodes[node].members.first(where: { $0.name == name }) { return known.node }
            nodes[node].members.append((name, nodes.count))
        case .element(let index):
            if let known = nodes[node].elements.first(where: { $0.index == index }) { return known.node }
            nodes[node].elements.append((index, nodes.count))
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The values of one payload.
    ///
    /// - Complexity: O(*n*) in the bytes of the payload: all of it is read once, to see that it is JSON.
    package func values(of payload: RawSpan, codec: PayloadCodec) -> [IndexValue] {
        let nothing = [IndexValue](repeating: .null, count: count)
        guard codec == .json else { return nothing }
        var values = nothing
        var visited = [Bool](repeating: false, count: nodes.count)
        var lexer = JSONLexer(payload.bytes)
        guard lexer.isUTF8 else { return nothing }
        lexer.skipSpace()
        guard walk(0, depth: 0, &lexer, &values, &visited) else { return nothing }
        lexer.skipSpace()
        return lexer.next == nil ? values : nothing
    }

    /// Reads the value that `lexer` stands in front of. False where it is none.
    private func walk(
        _ index: Int, depth: Int, _ lexer: inout JSONLexer, _ values: inout [IndexValue], _ visited: inout [Bool]
    ) -> Bool {
        visited[index] = true
        let node = nodes[index]
        let start = lexer.position
        switch lexer.next {
        case UInt8(ascii: "{"):
            let isWhole =
                node.members.isEmpty
                ? lexer.skipValue(depth: depth) : walkObject(node, depth: depth, &lexer, &values, &visited)
            guard isWhole else { return false }
        case UInt8(ascii: "["):
            let isWhole =
                node.elements.isEmpty
                ? lexer.skipValue(depth: depth) : walkArray(node, depth: depth, &lexer, &values, &visited)
            guard isWhole else { return false }
        default:
            guard let value = Self.scalar(&lexer, isWanted: !node.slots.isEmpty) else { return false }
            for slot in node.slots { values[slot] = value }
            return true
        }
        if !node.slots.isEmpty {
            let text = IndexValue.text(JSONStrings.minified(lexer.bytes, start..<lexer.position))
            for slot in node.slots { values[slot] = text }
        }
        return true
    }

    private func walkObject(
        _ node: Node, depth: Int, _ lexer: inout JSONLexer, _ values: inout [IndexValue], _ visited: inout [Bool]
    ) -> Bool {
        guard depth < JSONLexer.mostDepth, lexer.take(UInt8(ascii: "{")) else { return false }
        lexer.skipSpace()
        if lexer.take(UInt8(ascii: "}")) { return true }
        while true {
            lexer.skipSpace()
            guard let name = lexer.skipName() else { return false }
            let member = node.members.first {
                JSONStrings.isName($0.name, lexer.bytes, name.range, hasEscapes: name.hasEscapes)
            }
            if let member, !visited[member.node] {
                guard walk(member.node, depth: depth + 1, &lexer, &values, &visited) else { return false }
            } else {
                guard lexer.skipValue(depth: depth + 1) else { return false }
            }
            lexer.skipSpace()
            if lexer.take(UInt8(ascii: "}")) { return true }
            guard lexer.take(UInt8(ascii: ",")) else { return false }
        }
    }

    private func walkArray(
        _ node: Node, depth: Int, _ lexer: inout JSONLexer, _ values: inout [IndexValue], _ visited: inout [Bool]
    ) -> Bool {
        guard depth < JSONLexer.mostDepth, lexer.take(UInt8(ascii: "[")) else { return false }
        lexer.skipSpace()
        if lexer.take(UInt8(ascii: "]")) { return true }
        var index = 0
        while true {
            lexer.skipSpace()
            if let element = node.elements.first(where: { $0.index == index }) {
                guard walk(element.node, depth: depth + 1, &lexer, &values, &visited) else { return false }
            } else {
                guard lexer.skipValue(depth: depth + 1) else { return false }
            }
            index += 1
            lexer.skipSpace()
            if lexer.take(UInt8(ascii: "]")) { return true }
            guard lexer.take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// Reads a string, number or literal; nil where there is none.
    private static func scalar(_ lexer: inout JSONLexer, isWanted: Bool) -> IndexValue? {
        let start = lexer.position
        switch lexer.next {
        case UInt8(ascii: "\""):
            guard let hasEscapes = lexer.skipString() else { return nil }
            let range = start + 1..<lexer.position - 1
            return isWanted ? .text(JSONStrings.text(lexer.bytes, range, hasEscapes: hasEscapes)) : .null
        case UInt8(ascii: "t"): return lexer.skipScalar() ? .integer(1) : nil
        case UInt8(ascii: "f"): return lexer.skipScalar() ? .integer(0) : nil
        case UInt8(ascii: "n"): return lexer.skipScalar() ? .null : nil
        default:
            guard let isWhole = lexer.skipNumber() else { return nil }
            let range = start..<lexer.position
            return isWanted ? number(lexer.bytes, range, isWhole: isWhole) : .null
        }
    }

    /// A number: an integer where it is written as one and fits 64 bits, else the nearest real.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>, isWhole: Bool) -> IndexValue {
        if isWhole, let integer = integer(bytes, range) { return .integer(integer) }
        let text = JSONStrings.text(bytes, range, hasEscapes: false)
        // The grammar of JSON's numbers is a part of that of Swift's; what is too large reads as infinity.
        return Double(text).map { .real($0) } ?? .null
    }

    private static func integer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for index in range.lowerBound + (isNegative ? 1 : 0)..<range.upperBound {
            let digit = Int64(bytes[index]) - 0x30
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            // Counted below zero, where the range is one wider.
            let (next, underflowed) = tens.subtractingReportingOverflow(digit)
            if overflowed || underflowed { return nil }
            value = next
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }
}
