import LarderFormat
import LarderJSON

extension GroupRules {
    /// The longest type, key and body of a row, in bytes: what a client refuses would end its sync for ever.
    private static let (longestType, longestKey, longestBody) = (100, 255, 8 << 20)
    /// The limits of a body, so that a page with the row is within those of a client.
    private static let limits = JSONLimits(depth: 120, text: 64 << 10)

    /// Returns the row as sent over the wire, in snapshots and in row changes alike.
    ///
    /// The body's bytes are unchanged. Where the group's rows carry their type or key and the body does not contain
    /// them, they are inserted in front.
    ///
    /// - Throws: ``OriginError/invalidName`` for a type or key that is empty or has U+0000; ``OriginError/tooLarge(_:)``; ``OriginError/invalidBody(_:)`` when the body is
    ///   no object, or nested too deep; ``OriginError/bodyContradictsName(_:)`` when it names another row;
    ///   ``OriginError/typeNotDerivable(_:)`` and ``OriginError/keyNotDerivable(_:)`` when a client could not find the
    ///   row's name in it.
    package func wireBody(of row: Origin.Row) throws(OriginError) -> [UInt8] {
        let names = [row.key.type.utf8, row.key.key.utf8]
        guard names.allSatisfy({ !$0.isEmpty && !$0.contains(0) }) else { throw .invalidName }
        guard row.key.type.utf8.count <= Self.longestType, row.key.key.utf8.count <= Self.longestKey,
            row.body.count <= Self.longestBody
        else { throw .tooLarge(row.key) }
        let members = try Self.members(of: row.body)
        let type = try states("record_type", as: row.key.type, in: members, of: row)
        let key = try states("record_key", as: row.key.key, in: members, of: row)
        if !carriesRecordType, !type, row.key.type != defaultRecordType { throw .typeNotDerivable(row.key) }
        if keyRule != .recordKey, !key, derivedKey(members) != row.key.key {
            throw .keyNotDerivable(row.key)
        }
        let addsType = carriesRecordType && !type
        let addsKey = keyRule == .recordKey && !key
        guard addsType || addsKey else { return row.body }
        return Self.adding(
            type: addsType ? row.key.type : nil, key: addsKey ? row.key.key : nil, to: row.body,
            isEmpty: members.members.isEmpty)
    }

    /// Returns the name of a row, from `type` and `key` where they are given and else from its body.
    ///
    /// - Returns: `nil` when type or key are neither given nor found.
    /// - Throws: ``OriginError/invalidBody(_:)`` when the body is no object.
    func rowKey(type: String?, key: String?, body: [UInt8]) throws(OriginError) -> Origin.RowKey? {
        let members = try Self.members(of: body)
        let type = type ?? Self.text("record_type", members) ?? defaultRecordType
        let key = key ?? Self.text("record_key", members) ?? derivedKey(members)
        guard let type, let key else { return nil }
        return Origin.RowKey(type, key)
    }

    private static func members(of body: [UInt8]) throws(OriginError) -> JSONMembers {
        do throws(JSONError) {
            return try JSONMembers(body.rawSpan.bytes, limits: limits)
        } catch {
            throw .invalidBody(error)
        }
    }

    /// Returns whether the body itself contains the row's type or key.
    private func states(
        _ member: String, as expected: String, in members: JSONMembers, of row: Origin.Row
    ) throws(OriginError) -> Bool {
        guard let found = members[member] else { return false }
        guard found.decoded?.text == expected else { throw .bodyContradictsName(row.key) }
        return true
    }

    private func derivedKey(_ members: JSONMembers) -> String? {
        let names: [String]
        switch keyRule {
        case .recordKey: return nil
        case .id: names = ["id"]
        case .members(let list): names = list
        }
        var parts: [String] = []
        for name in names {
            guard let part = Self.text(name, members) else { return nil }
            parts.append(part)
        }
        return parts.joined(separator: "-")
    }

    /// A member that is a string or an integer, as text.
    private static func text(_ name: String, _ members: JSONMembers) -> String? {
        switch members[name]?.decoded {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }

    private static func adding(type: String?, key: String?, to body: [UInt8], isEmpty: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{")
        if let type {
            writer.raw("\"record_type\":")
            writer.string(type)
            if key != nil || !isEmpty { writer.raw(",") }
        }
        if let key {
            writer.raw("\"record_key\":")
            writer.string(key)
            if !isEmpty { writer.raw(",") }
        }
        // The body passed validation, so its first brace opens the object.
        let opening = body.firstIndex(of: UInt8(ascii: "{")) ?? body.startIndex
        writer.raw(Array(body[(opening + 1)...]))
        return writer.bytes
    }
}
