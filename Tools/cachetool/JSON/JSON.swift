/// A JSON value whose members keep their order, so that equal content has equal text (RFC 8259).
///
/// Numbers of a store are integers; those of payloads may be any.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A name and its value.
    struct Member: Hashable, Sendable {
        let name: String
        let value: JSON
    }

    /// Returns the value of the first member of that name; nil when there is none, or this is no object.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }

    init(stringLiteral value: String) { self = .string(value) }

    init(booleanLiteral value: Bool) { self = .bool(value) }

    init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON {
    /// Returns an integer, or null.
    static func optional(_ value: Int64?) -> JSON { value.map { .integer($0) } ?? .null }

    /// Returns a string, or null.
    static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }

    /// Returns a count as an integer.
    static func count(_ value: Int) -> JSON { .integer(Int64(value)) }
}
