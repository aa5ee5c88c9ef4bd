internal import LarderFormat
internal import LarderJSON

extension JSONExtractor {
    /// Reads the values of a text that is an object and spelled plainly, as most are, without the state of a scanner.
    ///
    /// - Returns: false where ``JSONReader`` has to read the text; `values` is then changed.
    func readPlain(_ text: Span<UInt8>, _ values: inout [IndexValue]) -> Bool {
        guard !text.isEmpty, text[0] == UInt8(ascii: "{") else { return false }
        let text = JSONSkipping(text)
        var visited = VisitedNodes(count: nodes.count)
        guard let end = readPlain(0, at: 0, depth: JSONSkipping.maxDepth, text, &values, &visited) else { return false }
        return text.isEnd(end)
    }

    /// Reads the value of a node that begins at `start`, and returns its end; nil where the scanner has to read it.
    private func readPlain(
        _ index: Int, at start: Int, depth: Int, _ text: borrowing JSONSkipping, _ values: inout [IndexValue],
        _ visited: inout VisitedNodes
    ) -> Int? {
        guard start < text.bytes.count else { return nil }
        visited.insert(index)
        let node = nodes[index]
        let first = text.bytes[start]
        if first == UInt8(ascii: "["), !node.elements.isEmpty { return nil }
        let end: Int
        if first == UInt8(ascii: "\""), let plain = text.endOfPlainString(at: start) {
            if !node.slots.isEmpty {
                store(.text(text.bytes.extracting(start + 1..<plain - 1).validText), of: index, &values)
            }
            return plain
        } else if first == UInt8(ascii: "{"), !node.members.isEmpty {
            guard depth > 0,
                let last = readPlainMembers(index, at: start + 1, depth: depth - 1, text, &values, &visited)
            else { return nil }
            end = last
        } else {
            guard let last = text.endOfValue(at: start, depth: depth) else { return nil }
            end = last
        }
        if !node.slots.isEmpty {
            guard let value = IndexValue(plain: text.bytes, start..<end) else { return nil }
            store(value, of: index, &values)
        }
        return end
    }

    private func readPlainMembers(
        _ node: Int, at start: Int, depth: Int, _ text: borrowing JSONSkipping, _ values: inout [IndexValue],
        _ visited: inout VisitedNodes
    ) -> Int? {
        var missing = nodes[node].members.count
        var part = text.part(at: start, isFirst: true)
        while case .member(let name, let value)? = part {
            let end: Int?
            if let member = member(of: node, named: text.bytes.extracting(name)), !visited.contains(member) {
                missing -= 1
                end = readPlain(member, at: value, depth: depth, text, &values, &visited)
                if missing == 0 { return end.flatMap { text.endOfObject(behindMemberAt: $0, depth: depth) } }
            } else {
                end = text.endOfValue(at: value, depth: depth)
            }
            guard let end else { return nil }
            part = text.part(at: end, isFirst: false)
        }
        guard case .end(let end)? = part else { return nil }
        return end
    }
}

extension IndexValue {
    /// A value at a place where it was checked; nil where it is to be read by a scanner.
    fileprivate init?(plain text: Span<UInt8>, _ place: Range<Int>) {
        switch text[place.lowerBound] {
        case UInt8(ascii: "{"): self.init(.object(place), in: text)
        case UInt8(ascii: "["): self.init(.array(place), in: text)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            if let number = Self.shortInteger(text.extracting(place)) {
                self = .integer(number)
            } else {
                fallthrough
            }
        default:
            guard let value = JSONValue(text.extracting(place)) else { return nil }
            self.init(value, in: text)
        }
    }

    /// Reads a number of at most 18 digits and nothing else; nil for another one.
    private static func shortInteger(_ text: Span<UInt8>) -> Int64? {
        let isNegative = text[0] == UInt8(ascii: "-")
        guard text.count <= 18 else { return nil }
        var value: Int64 = 0
        var index = isNegative ? 1 : 0
        while index < text.count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        return isNegative ? -value : value
    }
}
