extension JSONMergePatch {
    /// Returns the one patch that has the effect of this one and then `later` on every target; nil where no patch has.
    ///
    /// No patch has it where `later` changes members of a value that this one removes or sets to something other than
    /// an object. For example `{"a":null}` and then `{"a":{"b":1}}` leave only `b` in `a`, whatever was there before. A
    /// patch can only add to an object, or replace it with something that is no object.
    ///
    /// - Complexity: O(*n* + *m*) in the bytes of both.
    package func followed(by later: JSONMergePatch) -> [UInt8]? {
        guard case .object(let members) = later.root else { return later.bytes }
        guard case .object(let own) = root else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + later.bytes.count)
        return compose(own, later, members, to: &output) ? output : nil
    }

    /// Appends the object of both patches' members; returns false where no patch has their effect.
    private func compose(
        _ own: [Member], _ later: JSONMergePatch, _ members: [Member], to output: inout [UInt8]
    ) -> Bool {
        let indexes = Dictionary(uniqueKeysWithValues: zip(members.map(\.name), members.indices))
        var isMerged = [Bool](repeating: false, count: members.count)
        var list = MemberList(&output)
        for member in own {
            list.begin(&output)
            appendName(member, to: &output)
            guard let index = indexes[member.name] else {
                appendSource(member.node, to: &output)
                continue
            }
            isMerged[index] = true
            switch (member.node, members[index].node) {
            case (.object(let inner), .object(let changes)):
                guard compose(inner, later, changes, to: &output) else { return false }
            case (_, .object): return false
            case (_, let node): later.appendSource(node, to: &output)
            }
        }
        for (member, isMerged) in zip(members, isMerged) where !isMerged {
            list.begin(&output)
            later.appendName(member, to: &output)
            later.appendSource(member.node, to: &output)
        }
        output.append(UInt8(ascii: "}"))
        return true
    }

    private func appendName(_ member: Member, to output: inout [UInt8]) {
        output += bytes[member.spelling]
        output.append(UInt8(ascii: ":"))
    }

    /// Appends a node as it is spelled, with the members that it removes.
    private func appendSource(_ node: Node, to output: inout [UInt8]) {
        switch node {
        case .null: output += "null".utf8
        case .value(let range): output += bytes[range]
        case .object(let members):
            var list = MemberList(&output)
            for member in members {
                list.begin(&output)
                appendName(member, to: &output)
                appendSource(member.node, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
