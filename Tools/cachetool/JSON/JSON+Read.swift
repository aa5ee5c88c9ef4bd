import LarderFormat
import LarderJSON

extension JSON {
    /// The maximum nesting, which keeps a hostile text from exhausting the stack.
    private static let limits = JSONLimits(depth: 64, text: .max)

    /// Parses one JSON text (RFC 8259) whose numbers are integers.
    ///
    /// - Throws: `JSONError` for invalid JSON, deeper nesting or another number.
    init(_ text: [UInt8]) throws(JSONError) {
        var reader = JSONReader(text.rawSpan.bytes, limits: Self.limits)
        let token = try reader.token()
        self = try Self.value(token, &reader)
        try reader.finish()
    }

    /// Returns the value that begins with `token`.
    private static func value(_ token: JSONToken, _ reader: inout JSONReader) throws(JSONError) -> JSON {
        switch token {
        case .objectBegin:
            var members: [Member] = []
            while try reader.nextName() {
                let name = String(decoding: reader.text, as: UTF8.self)
                let token = try reader.token()
                members.append(Member(name: name, value: try value(token, &reader)))
            }
            return .object(members)
        case .arrayBegin:
            var values: [JSON] = []
            while case let token = try reader.token(), token != .arrayEnd { values.append(try value(token, &reader)) }
            return .array(values)
        default:
            let start = reader.range.lowerBound
            switch try reader.value(of: token) {
            case .null: return .null
            case .boolean(let flag): return .bool(flag)
            case .integer(let number): return .integer(number)
            case .string(let text): return .string(text)
            case .real, .object, .array: throw JSONError(.invalidNumber, at: Int64(start))
            }
        }
    }
}
