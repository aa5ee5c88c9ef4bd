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

    /// A member's value: its last token, with the text of a string or number, or the bytes of a container.
    private struct Value: Hashable {
        let token: JSONToken
        let bytes: [UInt8]
    }

    private static func members(of payload: [UInt8]) -> [[UInt8]: Value]? {
        var scanner = JSONScanner()
        scanner.quietDepth = 1
        var position = 0
        var members: [[UInt8]: Value] = [:]
        var name: [UInt8]?
        var start = 0
        do throws(JSONError) {
            guard try scanner.next(in: payload, at: &position) == .objectBegin else { return nil }
            while let token = try scanner.next(in: payload, at: &position) {
                switch token {
                case .name: name = scanner.text
                case .objectBegin, .arrayBegin: start = position - 1
                default:
                    // The end of the payload's own object comes when no name waits for its value.
                    guard let member = name else { continue }
                    let bytes: [UInt8] =
                        switch token {
                        case .objectEnd, .arrayEnd: Array(payload[start..<position])
                        case .string, .number: scanner.text
                        default: []
                        }
                    guard members.updateValue(Value(token: token, bytes: bytes), forKey: member) == nil else {
                        return nil
                    }
                    name = nil
                }
            }
            _ = try scanner.finish()
        } catch {
            return nil
        }
        return members
    }
}
