/// One element of any kind, for tools that print unknown records.
package enum TupleElement: Hashable, Sendable {
    /// Code 00.
    case null
    /// Code 01: a record key that is the canonical decimal of this number.
    case decimal(Int64)
    /// Code 02.
    case text(String)
    /// Code 03.
    case bytes([UInt8])
    /// Codes 0C to 1C.
    case integer(Int64)
    /// Codes 26 and 27.
    case bool(Bool)
    /// Code 30.
    case uuid(UUIDBytes)

    /// Whether both are encoded to the same bytes.
    package static func == (left: TupleElement, right: TupleElement) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.decimal(let left), .decimal(let right)): left == right
        case (.text(let left), .text(let right)): left.equalsBytewise(right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        default: false
        }
    }

    /// Feeds the parts that `==` compares to `hasher`.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .decimal(let number), .integer(let number): hasher.combine(number)
        case .text(let text): text.hashBytewise(into: &hasher)
        case .bytes(let bytes): hasher.combine(bytes)
        case .bool(let bool): hasher.combine(bool)
        case .uuid(let uuid): hasher.combine(uuid)
        }
    }
}

extension TupleElement: CustomStringConvertible {
    /// A short form: `null`, `7`, `"text"`, `#7` for a decimal record key, `x'00ff'` for bytes.
    package var description: String {
        switch self {
        case .null: "null"
        case .decimal(let number): "#\(number)"
        case .text(let text): text.debugDescription
        case .bytes(let bytes): "x'\(Self.hexadecimal(bytes))'"
        case .integer(let integer): "\(integer)"
        case .bool(let bool): "\(bool)"
        case .uuid(let uuid): uuid.description
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension TupleElement: Encodable {
    /// Encodes one JSON value: a decimal record key and a UUID as text, bytes as `{"bytes": hexadecimal}`.
    ///
    /// - Throws: the errors of `encoder`.
    package func encode(to encoder: any Encoder) throws {
        if case .bytes(let bytes) = self { return try ["bytes": Self.hexadecimal(bytes)].encode(to: encoder) }
        var container = encoder.singleValueContainer()
        switch self {
        case .null, .bytes: try container.encodeNil()
        case .decimal(let number): try container.encode(String(number))
        case .text(let text): try container.encode(text)
        case .integer(let integer): try container.encode(integer)
        case .bool(let bool): try container.encode(bool)
        case .uuid(let uuid): try container.encode(uuid.description)
        }
    }
}
