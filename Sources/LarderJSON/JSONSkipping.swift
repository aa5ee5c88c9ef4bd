/// A check of values that lie whole in memory and are spelled plainly, which most are: without halves of surrogate
/// pairs, and nested a few levels deep at most.
///
/// It accepts nothing that ``JSONScanner`` would not accept there. Where it returns nil, the scanner decides, from the
/// same position.
package struct JSONSkipping: ~Escapable {
    /// A part of an object.
    package enum Part {
        /// A member: the place of its name, which has no escapes, without the quotes, and the begin of its value.
        case member(name: Range<Int>, value: Int)
        /// The end of the object; the position is the one behind it.
        case end(Int)
    }

    /// The text.
    package let bytes: Span<UInt8>

    /// The most levels of nesting that are checked here.
    package static let maxDepth = 16

    /// A check of values in a text.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// Returns the next part of an object.
    ///
    /// - Parameters:
    ///   - start: the position behind the brace that begins the object, or behind the value of a member.
    ///   - isFirst: whether it is behind the brace.
    package func part(at start: Int, isFirst: Bool) -> Part? {
        var index = endOfSpace(from: start)
        if byte(at: index) == UInt8(ascii: "}") { return .end(index + 1) }
        if !isFirst {
            guard byte(at: index) == UInt8(ascii: ",") else { return nil }
            index = endOfSpace(from: index + 1)
        }
        guard byte(at: index) == UInt8(ascii: "\""), let end = endOfPlainString(at: index) else { return nil }
        let colon = endOfSpace(from: end)
        guard byte(at: colon) == UInt8(ascii: ":") else { return nil }
        return .member(name: index + 1..<end - 1, value: endOfSpace(from: colon + 1))
    }

    /// Returns the end of a string without escapes that begins at `start`.
    package func endOfPlainString(at start: Int) -> Int? {
        guard let quote = endOfPlainRun(from: start + 1), bytes[quote] == UInt8(ascii: "\"") else { return nil }
        return quote + 1
    }

    /// Whether nothing but white space is behind `position`.
    package func isEnd(_ position: Int) -> Bool { endOfSpace(from: position) == bytes.count }

    /// Returns the value behind a colon, which white space may surround.
    ///
    /// - Parameter depth: the levels of nesting that the value may have.
    func valueBehindColon(at start: Int, depth: Int) -> Range<Int>? {
        let colon = endOfSpace(from: start)
        guard byte(at: colon) == UInt8(ascii: ":") else { return nil }
        let start = endOfSpace(from: colon + 1)
        return endOfValue(at: start, depth: depth).map { start..<$0 }
    }

    /// Returns the end of an object, behind whose brace `start` is.
    ///
    /// - Parameter depth: the levels of nesting that its values may have.
    func endOfObject(behindBraceAt start: Int, depth: Int) -> Int? {
        let index = endOfSpace(from: start)
        if byte(at: index) == UInt8(ascii: "}") { return index + 1 }
        return endOfMember(at: index, depth: depth).flatMap { endOfObject(behindMemberAt: $0, depth: depth) }
    }

    /// Returns the end of the last of the members that follow `start` and have none of `names`; `start` when the first
    /// one has, or cannot be checked here.
    ///
    /// - Parameters:
    ///   - isFirst: whether the brace of the object is before `start`, and not one of its members.
    ///   - longest: the most bytes that their names may have.
    ///   - depth: the levels of nesting that their values may have.
    func endOfMembers(from start: Int, isFirst: Bool, without names: [[UInt8]], longest: Int, depth: Int) -> Int {
        var end = start
        while true {
            var index = endOfSpace(from: end)
            if end > start || !isFirst {
                guard byte(at: index) == UInt8(ascii: ",") else { return end }
                index = endOfSpace(from: index + 1)
            }
            guard byte(at: index) == UInt8(ascii: "\"") else { return end }
            let name = index + 1..<JSONScanner.endOfPlainWords(bytes, from: index + 1)
            // A name that has an escape, or a character beyond ASCII, is read by the scanner.
            guard byte(at: name.upperBound) == UInt8(ascii: "\""), name.count <= longest,
                JSONScanner.place(of: bytes.extracting(name), in: names) == nil,
                let value = valueBehindColon(at: name.upperBound + 1, depth: depth)
            else { return end }
            end = value.upperBound
        }
    }

    /// Returns the end of an object, behind one of whose members `start` is.
    ///
    /// - Parameter depth: the levels of nesting that its values may have.
    package func endOfObject(behindMemberAt start: Int, depth: Int) -> Int? {
        var index = endOfSpace(from: start)
        while byte(at: index) == UInt8(ascii: ",") {
            guard let end = endOfMember(at: endOfSpace(from: index + 1), depth: depth) else { return nil }
            index = endOfSpace(from: end)
        }
        return byte(at: index) == UInt8(ascii: "}") ? index + 1 : nil
    }

    private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private func endOfSpace(from start: Int) -> Int {
        var index = start
        while index < bytes.count, case let byte = bytes[index], byte <= 0x20,
            byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        {
            index += 1
        }
        return index
    }

    /// Returns the end of the value that begins at `start`.
    ///
    /// - Parameter depth: the levels of nesting that the value may have.
    package func endOfValue(at start: Int, depth: Int) -> Int? {
        guard let first = byte(at: start) else { return nil }
        switch first {
        case UInt8(ascii: "\""): return endOfString(at: start)
        case UInt8(ascii: "{"):
            return depth > 0 ? endOfObject(behindBraceAt: start + 1, depth: depth - 1) : nil
        case UInt8(ascii: "["): return depth > 0 ? endOfArray(at: start, depth: depth - 1) : nil
        case UInt8(ascii: "t"): return endOfLiteral(0x65_75_72, 3, at: start)
        case UInt8(ascii: "f"): return endOfLiteral(0x65_73_6C_61, 4, at: start)
        case UInt8(ascii: "n"): return endOfLiteral(0x6C_6C_75, 3, at: start)
        default: return endOfNumber(at: start)
        }
    }

    private func endOfMember(at start: Int, depth: Int) -> Int? {
        guard byte(at: start) == UInt8(ascii: "\""), let end = endOfString(at: start) else { return nil }
        return valueBehindColon(at: end, depth: depth)?.upperBound
    }

    private func endOfArray(at start: Int, depth: Int) -> Int? {
        var index = endOfSpace(from: start + 1)
        if byte(at: index) == UInt8(ascii: "]") { return index + 1 }
        while let end = endOfValue(at: index, depth: depth) {
            index = endOfSpace(from: end)
            if byte(at: index) == UInt8(ascii: "]") { return index + 1 }
            guard byte(at: index) == UInt8(ascii: ",") else { return nil }
            index = endOfSpace(from: index + 1)
        }
        return nil
    }

    /// - Parameter rest: the bytes after the first, the next one in the lowest eight bits.
    private func endOfLiteral(_ rest: UInt32, _ count: Int, at start: Int) -> Int? {
        guard start + count < bytes.count else { return nil }
        var rest = rest
        for index in start + 1...start + count {
            guard bytes[index] == UInt8(truncatingIfNeeded: rest) else { return nil }
            rest &>>= 8
        }
        return start + count + 1
    }

    private func endOfString(at start: Int) -> Int? {
        var index = start + 1
        while let end = endOfPlainRun(from: index) {
            if bytes[end] == UInt8(ascii: "\"") { return end + 1 }
            guard let length = lengthOfEscape(at: end) else { return nil }
            index = end + length
        }
        return nil
    }

    /// Returns the position of the first quote or backslash from `start` on; nil where another byte has to be scanned.
    private func endOfPlainRun(from start: Int) -> Int? {
        var index = start
        while true {
            index = JSONScanner.endOfPlainWords(bytes, from: index)
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            if byte >= 0x80 {
                guard let length = JSONScanner.lengthOfCommonCharacter(bytes, at: index) else { return nil }
                index += length
            } else {
                guard byte >= 0x20 else { return nil }
                index += 1
            }
        }
    }

    /// Returns the length of the escape at `start`; nil for one that is invalid, or is half a surrogate pair.
    private func lengthOfEscape(at start: Int) -> Int? {
        guard let kind = byte(at: start + 1) else { return nil }
        if kind != UInt8(ascii: "u") { return JSONScanner.escaped(kind) == nil ? nil : 2 }
        guard start + 6 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for index in start + 2..<start + 6 {
            guard let digit = JSONScanner.hexadecimal(bytes[index]) else { return nil }
            unit = unit &<< 4 | digit
        }
        return (0xD800...0xDFFF).contains(unit) ? nil : 6
    }

    private func endOfNumber(at start: Int) -> Int? {
        var index = start
        var state = JSONScanner.NumberState.nothing
        while index < bytes.count, let next = state.after(bytes[index]) {
            state = next
            index += 1
        }
        // A number ends where a byte that does not continue it follows.
        guard state.isComplete, index < bytes.count, !JSONScanner.continuesNumber(bytes[index]) else { return nil }
        return index
    }
}
