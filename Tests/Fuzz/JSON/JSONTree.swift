import LarderFormat
import LarderJSON

/// A JSON value as a tree: members by name, the first of those with one name, and numbers as they are spelled.
indirect enum JSONTree: Equatable {
    case scalar([UInt8])
    case string([UInt8])
    case array([JSONTree])
    case object([[UInt8]: JSONTree])

    static let null = JSONTree.scalar(Array("null".utf8))

    /// Reads a text within the limits of stored payloads; nil when it is no JSON text.
    init?(_ text: [UInt8]) {
        do throws(JSONError) {
            var reader = JSONReader(text.rawSpan.bytes, limits: .stored)
            self = try Self.value(reader.token(), &reader, text)
            try reader.finish()
        } catch {
            return nil
        }
    }

    private static func value(
        _ token: JSONToken, _ reader: inout JSONReader, _ text: [UInt8]
    ) throws(JSONError) -> JSONTree {
        switch token {
        case .string: return .string(reader.text)
        case .arrayBegin:
            var elements: [JSONTree] = []
            while case let next = try reader.token(), next != .arrayEnd {
                elements.append(try value(next, &reader, text))
            }
            return .array(elements)
        case .objectBegin:
            var members: [[UInt8]: JSONTree] = [:]
            while try reader.nextName() {
                let name = reader.text
                let member = try value(reader.token(), &reader, text)
                if members[name] == nil { members[name] = member }
            }
            return .object(members)
        default: return .scalar(Array(text[reader.range]))
        }
    }

    /// The result of a merge patch, by the algorithm of RFC 7396 §2.
    func patched(by patch: JSONTree) -> JSONTree {
        guard case .object(let changes) = patch else { return patch }
        var members: [[UInt8]: JSONTree] = if case .object(let own) = self { own } else { [:] }
        for (name, change) in changes {
            members[name] = change == .null ? nil : (members[name] ?? .null).patched(by: change)
        }
        return .object(members)
    }
}
