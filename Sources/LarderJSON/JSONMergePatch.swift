internal import LarderFormat

/// A JSON merge patch (RFC 7396): an object that names the members of another to set, or with `null` to remove.
///
/// Values keep their spelling, numbers included, whether the patch sets them or not. Members of the target keep their
/// order; added members follow in the order of the patch. Of members with one name the first counts.
package struct JSONMergePatch: Sendable {
    /// The deepest nesting of objects and arrays in a patch.
    package static let mostDepth = 128

    indirect enum Node: Sendable {
        /// A member to remove; the text `null` where it is the whole patch.
        case null
        /// A value that is set as it is spelled: a scalar or an array.
        case value(Range<Int>)
        case object([Member])
    }

    struct Member: Sendable {
        /// The name, its escapes decoded.
        let name: [UInt8]
        /// The place of the name, quotes included.
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
        var limits = JSONLimits.stored
        limits.depth = Self.mostDepth
        do throws(JSONError) {
            var reader = JSONReader(bytes.rawSpan.bytes, limits: limits)
            root = try Self.node(&reader)
            try reader.finish()
        } catch {
            return nil
        }
        self.bytes = bytes
    }

    /// Reads the next value; recurses as deep as objects nest.
    private static func node(_ reader: inout JSONReader) throws(JSONError) -> Node {
        let token = try reader.token()
        if token == .null { return .null }
        guard token == .objectBegin else { return .value(try reader.skip(token)) }
        var members: [Member] = []
        var names: Set<[UInt8]> = []
        while try reader.token() == .name {
            let (name, spelling) = (reader.text, reader.range)
            let node = try node(&reader)
            if names.insert(name).inserted { members.append(Member(name: name, spelling: spelling, node: node)) }
        }
        return .object(members)
    }
}

// MARK: - Merging

extension JSONMergePatch {
    /// Returns the result of applying the patch to `target`. A target that is no JSON text counts as an empty object,
    /// as RFC 7396 says of every value that is no object.
    ///
    /// - Complexity: O(*n* + *m*) in the bytes of both.
    package func merged(over target: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + target.count)
        do throws(JSONError) {
            var reader = JSONReader(target, limits: .stored)
            try merge(root, &reader, &output)
            try reader.finish()
        } catch {
            output.removeAll(keepingCapacity: true)
            append(root, to: &output)
        }
        return output
    }

    /// Appends the result of applying a node to nothing.
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

    /// Appends the result of applying a node to the next value of `target`.
    private func merge(_ node: Node, _ target: inout JSONReader, _ output: inout [UInt8]) throws(JSONError) {
        let token = try target.token()
        guard case .object(let members) = node, token == .objectBegin else {
            _ = try target.skip(token)
            return append(node, to: &output)
        }
        let places = Dictionary(uniqueKeysWithValues: zip(members.map(\.name), members.indices))
        var isDone = [Bool](repeating: false, count: members.count)
        var list = MemberList(&output)
        while try target.token() == .name {
            let place = places[target.text]
            let isFirst = place.map { !isDone[$0] } ?? true
            if let place { isDone[place] = true }
            let member = place.map { members[$0].node }
            guard isFirst, !Self.removes(member) else {
                _ = try target.skipValue()
                continue
            }
            list.begin(&output)
            output.append(copying: target.bytes.extracting(target.range))
            output.append(UInt8(ascii: ":"))
            if let member {
                try merge(member, &target, &output)
            } else {
                let value = try target.skipValue()
                output.append(copying: target.bytes.extracting(value))
            }
        }
        for (member, isDone) in zip(members, isDone) where !isDone { append(member, &list, &output) }
        output.append(UInt8(ascii: "}"))
    }

    private static func removes(_ node: Node?) -> Bool {
        if case .null? = node { true } else { false }
    }
}

/// Writes the punctuation of an object's members: the brace before the first, commas before the others.
struct MemberList {
    private var isFirst = true

    init(_ output: inout [UInt8]) { output.append(UInt8(ascii: "{")) }

    mutating func begin(_ output: inout [UInt8]) {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
    }
}
