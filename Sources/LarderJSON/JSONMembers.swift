/// The members of a JSON object, each as it is spelled: to be taken apart, changed, and written back.
///
/// Names are compared with their escapes decoded, byte for byte. Of members with one name the first counts.
package struct JSONMembers: Hashable, Sendable {
    /// One member.
    package struct Member: Hashable, Sendable {
        /// The name, its escapes decoded.
        package let name: [UInt8]
        /// The name as it is spelled, quotes included.
        package let spelling: [UInt8]
        /// The value as it is spelled, without white space around it.
        package var value: [UInt8]
    }

    /// In their order; nil for one that was taken away.
    private var slots: [Member?] = []
    private var places: [[UInt8]: Int] = [:]

    /// The members, in their order.
    package var members: [Member] { slots.compactMap { $0 } }

    /// The members of a text; nil when it is no JSON object (RFC 8259, nested at most 1000 deep) in UTF-8.
    ///
    /// - Complexity: O(*n*) in its bytes.
    package init?(_ text: [UInt8]) {
        var lexer = JSONLexer(text.span)
        guard lexer.isUTF8 else { return nil }
        lexer.skipSpace()
        guard lexer.take(UInt8(ascii: "{")) else { return nil }
        lexer.skipSpace()
        if !lexer.take(UInt8(ascii: "}")), !read(text, &lexer) { return nil }
        lexer.skipSpace()
        if lexer.next != nil { return nil }
    }

    private mutating func read(_ text: [UInt8], _ lexer: inout JSONLexer) -> Bool {
        while true {
            lexer.skipSpace()
            guard let name = lexer.skipName() else { return false }
            let start = lexer.position
            guard lexer.skipValue(depth: 1) else { return false }
            let decoded = JSONStrings.text(lexer.bytes, name.range, hasEscapes: name.hasEscapes)
            let member = Member(
                name: Array(decoded.utf8), spelling: Array(text[name.range.lowerBound - 1..<name.range.upperBound + 1]),
                value: Array(text[start..<lexer.position]))
            if self[member.name] == nil { put(member) }
            lexer.skipSpace()
            if lexer.take(UInt8(ascii: "}")) { return true }
            guard lexer.take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// The member of a name, or nil.
    package subscript(name: [UInt8]) -> Member? { places[name].flatMap { slots[$0] } }

    /// Puts a member in place of the one with its name, or behind all others.
    package mutating func put(_ member: Member) {
        if let place = places[member.name] {
            slots[place]?.value = member.value
        } else {
            places[member.name] = slots.count
            slots.append(member)
        }
    }

    /// Takes the member of a name away.
    package mutating func remove(_ name: [UInt8]) {
        if let place = places.removeValue(forKey: name) { slots[place] = nil }
    }

    /// The object as one text.
    package var text: [UInt8] {
        var text = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += member.spelling
            text.append(UInt8(ascii: ":"))
            text += member.value
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Whether two values are spelled the same but for the white space between their parts; true for two that are not there.
    package static func isSame(_ left: Member?, _ right: Member?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if left.value == right.value { return true }
        return minified(left.value) == minified(right.value)
    }

    private static func minified(_ value: [UInt8]) -> [UInt8] {
        Array(JSONStrings.minified(value.span, 0..<value.count).utf8)
    }
}
