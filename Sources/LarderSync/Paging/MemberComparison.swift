internal import LarderJSON

/// Compares two payloads by the members of their objects.
enum MemberComparison {
    /// The names of top-level members that only one of two JSON objects has, or that have other values, sorted.
    ///
    /// Values are compared as they are spelled, strings after decoding; the order of members does not count.
    ///
    /// - Returns: nil when one of the payloads is no JSON object, or has a name twice.
    /// - Complexity: O(*n*) for *n* bytes.
    static func changedMembers(_ old: [UInt8], _ new: [UInt8]) -> [String]? {
        guard let old = members(of: old), let new = members(of: new) else { return nil }
        var changed = old.filter { new[$0.key] != $0.value }.map(\.key)
        changed += new.keys.filter { old[$0] == nil }
        return changed.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A member's value: its first token, with the text of a string, else the bytes as they are spelled.
    private struct Value: Hashable {
        let token: JSONToken
        let bytes: [UInt8]
    }

    private static func members(of payload: [UInt8]) -> [[UInt8]: Value]? {
        var members: [[UInt8]: Value] = [:]
        do throws(JSONError) {
            var reader = JSONReader(payload.span)
            guard try reader.token() == .objectBegin else { return nil }
            while try reader.nextName() {
                let name = reader.text
                let token = try reader.token()
                let bytes = token == .string ? reader.text : Array(payload[try reader.skip(token)])
                guard members.updateValue(Value(token: token, bytes: bytes), forKey: name) == nil else { return nil }
            }
            try reader.finish()
        } catch {
            return nil
        }
        return members
    }
}
