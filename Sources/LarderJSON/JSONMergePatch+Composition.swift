extension JSONMergePatch {
    /// The one patch that does what this one and then `later` do, whatever they are merged with; nil where no patch does.
    ///
    /// There is none where `later` changes members of what this one removes, or sets to no object. `{"a":null}` and then
    /// `{"a":{"b":1}}` leave `b` alone in `a`, whatever stood there; a patch can only add to an object, or put something in its
    /// place that is none.
    ///
    /// - Complexity: O(*n* + *m*) in the bytes of both.
    package func followed(by later: JSONMergePatch) -> [UInt8]? {
        guard case .object(let members) = later.root else { return later.bytes }
        guard case .object(let own) = root else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + later.bytes.count)
        return join(own, later, members, to: &output) ? output : nil
    }

    /// Appends the object of both patches' members; false where there is none.
    private func join(
        _ own: [Member], _ later: JSONMergePatch, _ members: [Member], to output: inout [UInt8]
    ) -> Bool {
        let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.name, $0) })
        var isTaken = [Bool](repeating: false, count: members.count)
        var list = MemberList(&output)
        for member in own {
            list.begin(&output)
            appendName(member, to: &output)
            guard let place = places[member.name] else {
                spell(member.node, to: &output)
                continue
            }
            isTaken[place] = true
            switch (member.node, members[place].node) {
            case (.object(let inner), .object(let changes)):
                guard join(inner, later, changes, to: &output) else { return false }
            case (_, .object): return false
            case (_, let node): later.spell(node, to: &output)
            }
        }
        for (member, isTaken) in zip(members, isTaken) where !isTaken {
            list.begin(&output)
            later.appendName(member, to: &output)
            later.spell(member.node, to: &output)
        }
        output.append(UInt8(ascii: "}"))
        return true
    }

    private func appendName(_ member: Member, to output: inout [UInt8]) {
        output += bytes[member.spelling]
        output.append(UInt8(ascii: ":"))
    }

    /// Appends a node as it says, what it removes included.
    private func spell(_ node: Node, to output: inout [UInt8]) {
        switch node {
        case .null: output += "null".utf8
        case .value(let range): output += bytes[range]
        case .object(let members):
            var list = MemberList(&output)
            for member in members {
                list.begin(&output)
                appendName(member, to: &output)
                spell(member.node, to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
