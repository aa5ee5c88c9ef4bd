/// A JSON merge patch (RFC 7396): an object that says which members of another to set, and with `null` which to remove.
///
/// What it sets and what it leaves alone keeps its spelling, numbers among it, and members their order; what it adds
/// follows in its own order. Of members with one name the first counts.
package struct JSONMergePatch: Sendable {
    /// The deepest nesting of objects and arrays in a patch.
    package static let mostDepth = 128

    indirect enum Node: Sendable {
        /// A member that is to go; the text `null` where it is the whole patch.
        case null
        /// A value that is set as it is spelled: a scalar or an array.
        case value(Range<Int>)
        case object([Member])
    }

    struct Member: Sendable {
        /// The name, its escapes decoded.
        let name: [UInt8]
        /// Where the name is spelled, quotes included.
        let spelling: Range<Int>
        let node: Node
    }

    /// The text.
    package let bytes: [UInt8]
    let root: Node

    /// Reads a patch; nil when it is no JSON text (RFC 8259) in UTF-8, or nests more than ``mostDepth`` deep.
    ///
    /// - Complexity: O(*n*) in its bytes.
    package init?(_ bytes: [UInt8]) {
        var lexer = JSONLexer(bytes.span)
        guard lexer.isUTF8 else { return nil }
        lexer.skipSpace()
        guard let root = Self.node(&lexer, depth: 0) else { return nil }
        lexer.skipSpace()
        guard lexer.next == nil else { return nil }
        self.bytes = bytes
        self.root = root
    }

    /// What it makes of `target`; one that is no JSON text counts as what RFC 7396 says of all that is no object: as an
    /// empty one.
    ///
    /// - Complexity: O(*n* + *m*) in the bytes of both.
    package func merged(over target: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + target.count)
        var lexer = JSONLexer(target)
        lexer.skipSpace()
        guard case .object = root, lexer.isUTF8, Self.isWhole(lexer) else {
            append(root, to: &output)
            return output
        }
        merge(root, &lexer, &output)
        return output
    }

    private static func isWhole(_ lexer: borrowing JSONLexer) -> Bool {
        var lexer = copy lexer
        guard lexer.skipValue(depth: 0) else { return false }
        lexer.skipSpace()
        return lexer.next == nil
    }
}

// MARK: - Reading

extension JSONMergePatch {
    /// Reads the value that `lexer` stands in front of; recurses as deep as objects nest.
    private static func node(_ lexer: inout JSONLexer, depth: Int) -> Node? {
        let start = lexer.position
        guard lexer.next == UInt8(ascii: "{") else {
            let isNull = lexer.next == UInt8(ascii: "n")
            // The lexer bounds the nesting by its own, deeper limit.
            guard lexer.skipValue(depth: depth + JSONLexer.mostDepth - mostDepth) else { return nil }
            return isNull ? .null : .value(start..<lexer.position)
        }
        guard depth < mostDepth, lexer.take(UInt8(ascii: "{")) else { return nil }
        var members: [Member] = []
        var names: Set<[UInt8]> = []
        lexer.skipSpace()
        if lexer.take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            lexer.skipSpace()
            guard let found = lexer.skipName() else { return nil }
            let name = JSONStrings.name(lexer.bytes, found.range, hasEscapes: found.hasEscapes)
            guard let value = node(&lexer, depth: depth + 1) else { return nil }
            if names.insert(name).inserted {
                let spelling = found.range.lowerBound - 1..<found.range.upperBound + 1
                members.append(Member(name: name, spelling: spelling, node: value))
            }
            lexer.skipSpace()
            if lexer.take(UInt8(ascii: "}")) { return .object(members) }
            guard lexer.take(UInt8(ascii: ",")) else { return nil }
        }
    }
}

// MARK: - Writing

extension JSONMergePatch {
    /// Appends what a node makes of nothing.
    private func append(_ node: Node, to output: inout [UInt8]) {
        switch node {
        case .null: output += "null".utf8
        case .value(let range): output += bytes[range]
        case .object(let members):
            var list = MemberList(&output)
            for member in members { append(member, &list, &output) }
            output.append(UInt8(ascii: "}"))
        }
    }

    private func append(_ member: Member, _ list: inout MemberList, _ output: inout [UInt8]) {
        if case .null = member.node { return }
        list.begin(&output)
        output += bytes[member.spelling]
        output.append(UInt8(ascii: ":"))
        append(member.node, to: &output)
    }

    /// Appends what a node makes of the value that `target` stands in front of, which is known to be whole.
    private func merge(_ node: Node, _ target: inout JSONLexer, _ output: inout [UInt8]) {
        guard case .object(let members) = node, target.take(UInt8(ascii: "{")) else {
            _ = target.skipValue(depth: 0)
            return append(node, to: &output)
        }
        let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
        var isDone = [Bool](repeating: false, count: members.count)
        var list = MemberList(&output)
        target.skipSpace()
        while target.next != UInt8(ascii: "}") {
            target.skipSpace()
            guard let found = target.skipName() else { break }
            let place = places[JSONStrings.name(target.bytes, found.range, hasEscapes: found.hasEscapes)]
            let isFirst = place.map { !isDone[$0] } ?? true
            if let place { isDone[place] = true }
            let member = place.map { members[$0].node }
            if isFirst, !Self.removes(member) {
                list.begin(&output)
                Self.copy(target.bytes, found.range.lowerBound - 1..<found.range.upperBound + 1, to: &output)
                output.append(UInt8(ascii: ":"))
                if let member { merge(member, &target, &output) } else { Self.copyValue(&target, to: &output) }
            } else {
                _ = target.skipValue(depth: 0)
            }
            target.skipSpace()
            _ = target.take(UInt8(ascii: ","))
        }
        _ = target.take(UInt8(ascii: "}"))
        for (member, isDone) in zip(members, isDone) where !isDone { append(member, &list, &output) }
        output.append(UInt8(ascii: "}"))
    }

    private static func removes(_ node: Node?) -> Bool {
        if case .null? = node { true } else { false }
    }

    private static func copyValue(_ target: inout JSONLexer, to output: inout [UInt8]) {
        let start = target.position
        _ = target.skipValue(depth: 0)
        copy(target.bytes, start..<target.position, to: &output)
    }

    private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]) {
        output.append(copying: bytes.extracting(range))
    }
}

/// The members of an object being written: the brace before the first, commas before the others.
struct MemberList {
    private var isFirst = true

    init(_ output: inout [UInt8]) { output.append(UInt8(ascii: "{")) }

    mutating func begin(_ output: inout [UInt8]) {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
    }
}
