/// Reads one JSON text (RFC 8259) whose numbers are integers.
struct JSONReader {
    /// Where the text stops being JSON of that kind, in bytes from its start.
    struct Failure: Error, Equatable {
        let offset: Int
    }

    /// Values within values, at most: what keeps a hostile text from exhausting the stack.
    private static let depthLimit = 64

    private let text: [UInt8]
    private var position = 0

    private init(_ text: [UInt8]) { self.text = text }

    /// The value that `text` is.
    static func read(_ text: [UInt8]) throws(Failure) -> JSON {
        var reader = JSONReader(text)
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.position == text.count else { throw reader.failure }
        return value
    }

    private var failure: Failure { Failure(offset: position) }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSON {
        guard depth < Self.depthLimit else { throw failure }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .integer(try integer())
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(Failure) -> JSON {
        for byte in word.utf8 where !take(byte) { throw failure }
        return value
    }

    private mutating func object(depth: Int) throws(Failure) -> JSON {
        position += 1
        var members: [JSON.Member] = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw failure }
            let name = try string()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw failure }
            members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
            skipBlanks()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw failure }
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> JSON {
        position += 1
        var values: [JSON] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            values.append(try value(depth: depth + 1))
            skipBlanks()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw failure }
        }
    }

    private mutating func integer() throws(Failure) -> Int64 {
        let start = position
        _ = take(UInt8(ascii: "-"))
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard let value = Int64(String(decoding: text[start..<position], as: UTF8.self)) else { throw failure }
        return value
    }
}

extension JSONReader {
    private mutating func string() throws(Failure) -> String {
        position += 1
        var bytes: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else { throw failure }
                return text
            case UInt8(ascii: "\\"): try escape(&bytes)
            case 0..<0x20: throw failure
            default: bytes.append(byte)
            }
        }
        throw failure
    }

    private mutating func escape(_ bytes: inout [UInt8]) throws(Failure) {
        guard let byte = next else { throw failure }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"): bytes += String(try scalar()).utf8
        default: throw failure
        }
    }

    /// The code point of `\uXXXX`, or of two of them that are a surrogate pair.
    private mutating func scalar() throws(Failure) -> Character {
        let first = try unit()
        var code = UInt32(first)
        if first >= 0xD800, first < 0xDC00 {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw failure }
            let second = try unit()
            guard second >= 0xDC00, second < 0xE000 else { throw failure }
            code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure }
        return Character(scalar)
    }

    private mutating func unit() throws(Failure) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw failure }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
