/// The key of a query's value: a list of parts, such as `["outlets", ["page": 2]]`.
///
/// Two keys are the same when their parts are, byte for byte; the members of an object have no order. A key *begins
/// with* another when its first parts are the parts of that one: `["outlets"]` is a prefix of every key of outlets.
public struct QueryKey: Sendable {
    /// One part of a key.
    public indirect enum Part: Sendable {
        /// Nothing.
        case null
        /// A truth value.
        case bool(Bool)
        /// A whole number.
        case integer(Int64)
        /// A number with a fraction; never the same as an ``integer(_:)``. Must be finite.
        case real(Double)
        /// A text, never normalised.
        case text(String)
        /// Parts in order.
        case list([Part])
        /// Named parts, in any order; of two with one name, the later counts.
        case object([(name: String, value: Part)])
    }

    /// The parts, in order.
    public let parts: [Part]
    /// The parts as one text: equal keys have equal texts, and the text of a prefix is a prefix.
    let text: String

    /// A key of these parts.
    public init(_ parts: [Part]) {
        self.parts = parts
        var text = ""
        for part in parts {
            part.write(to: &text)
            // A comma ends every part, so that no part's text begins another's.
            text += ","
        }
        self.text = text
    }

    /// Whether the first parts of this key are those of `prefix`.
    public func hasPrefix(_ prefix: QueryKey) -> Bool { text.utf8.starts(with: prefix.text.utf8) }
}

extension QueryKey: Hashable {
    /// Whether both have the same parts.
    public static func == (left: QueryKey, right: QueryKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// Feeds the parts to `hasher`.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension QueryKey: ExpressibleByArrayLiteral {
    /// A key of these parts.
    public init(arrayLiteral parts: Part...) { self.init(parts) }
}

extension QueryKey: CustomStringConvertible {
    /// The parts as text.
    public var description: String { "[\(text.dropLast())]" }
}

extension QueryKey.Part: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Parts in order.
    public init(arrayLiteral parts: QueryKey.Part...) { self = .list(parts) }
    /// Named parts.
    public init(dictionaryLiteral members: (String, QueryKey.Part)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }
    /// Nothing.
    public init(nilLiteral: ()) { self = .null }
}

extension QueryKey.Part {
    fileprivate func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .real(let value):
            precondition(value.isFinite, "a part of a key is \(value)")
            text += "\(value)"
        case .text(let value): Self.write(value, to: &text)
        case .list(let parts):
            text += "["
            for part in parts {
                part.write(to: &text)
                text += ","
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (name, value) in Self.sorted(members) {
                Self.write(name, to: &text)
                text += ":"
                value.write(to: &text)
                text += ","
            }
            text += "}"
        }
    }

    private static func sorted(
        _ members: [(name: String, value: QueryKey.Part)]
    ) -> [(name: String, value: QueryKey.Part)] {
        var last: [[UInt8]: QueryKey.Part] = [:]
        for member in members { last[Array(member.name.utf8)] = member.value }
        let names = last.keys.sorted { $0.lexicographicallyPrecedes($1) }
        return names.compactMap { name in last[name].map { (String(decoding: name, as: UTF8.self), $0) } }
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
    }
}
