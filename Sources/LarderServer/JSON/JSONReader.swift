/// What is wrong with a JSON text, and where.
public struct JSONProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the offending byte, in bytes from the start of the text.
    public let offset: Int
    /// What was expected there.
    public let reason: String

    /// One line without any of the text itself.
    public var description: String { "byte \(offset): \(reason)" }
}

/// A strict reader of one JSON text held in memory (RFC 8259).
///
/// It hands out where values lie instead of building them, so that the bytes of a row stay the bytes that were given.
package struct JSONReader {
    /// The nesting above which a text is refused, so that recursion stays within any thread's stack.
    package static let deepest = 128

    let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = 0
    }

    /// The members of the object that is the whole text.
    ///
    /// - Throws: ``JSONProblem`` when the text is no valid JSON, no object, holds a name twice, or goes on after it.
    package static func members(of bytes: [UInt8]) throws(JSONProblem) -> [(name: String, value: Range<Int>)] {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONProblem(offset: 0, reason: "the text must be UTF-8")
        }
        var reader = JSONReader(bytes)
        reader.skipSpace()
        let members = try reader.object(depth: 1)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.problem("nothing may follow the object") }
        return members
    }

    /// Whether `bytes` are one JSON value and nothing else.
    package static func isJSON(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var reader = JSONReader(bytes)
        reader.skipSpace()
        guard (try? reader.skipValue(depth: 1)) != nil else { return false }
        reader.skipSpace()
        return reader.position == bytes.count
    }

    /// The members of the object at `range` of a text that was read before, or `nil` when something else is there.
    package static func members(in bytes: [UInt8], at range: Range<Int>) -> [(name: String, value: Range<Int>)]? {
        var reader = JSONReader(bytes)
        reader.position = range.lowerBound
        return try? reader.object(depth: 1)
    }

    /// The elements of the array at `range` of a text that was read before, or `nil` when something else is there.
    package static func elements(in bytes: [UInt8], at range: Range<Int>) -> [Range<Int>]? {
        var reader = JSONReader(bytes)
        reader.position = range.lowerBound
        guard reader.current == UInt8(ascii: "[") else { return nil }
        return try? reader.array(depth: 1)
    }

    /// The text of the string at `range`, or `nil` when something else is there.
    package static func string(in bytes: [UInt8], at range: Range<Int>) -> String? {
        guard bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        var reader = JSONReader(bytes)
        reader.position = range.lowerBound
        return try? reader.string()
    }

    /// The integer at `range`, or `nil` when something else is there or it is beyond 64 bits.
    package static func integer(in bytes: [UInt8], at range: Range<Int>) -> Int64? {
        // A fraction or an exponent is refused by the conversion; a sign that JSON forbids was refused before.
        Int64(String(decoding: bytes[range], as: UTF8.self))
    }

    private func problem(_ reason: String) -> JSONProblem { JSONProblem(offset: position, reason: reason) }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func expect(_ byte: UInt8, _ reason: String) throws(JSONProblem) {
        guard current == byte else { throw problem(reason) }
        position += 1
    }
}

extension JSONReader {
    private mutating func object(depth: Int) throws(JSONProblem) -> [(name: String, value: Range<Int>)] {
        try expect(UInt8(ascii: "{"), "an object was expected")
        var members: [(name: String, value: Range<Int>)] = []
        // Objects from outside may have as many members as their text has room for.
        var names: Set<String> = []
        skipSpace()
        if current == UInt8(ascii: "}") {
            position += 1
            return members
        }
        while true {
            skipSpace()
            let name = try string()
            guard names.insert(name).inserted else { throw problem("a name stands twice") }
            skipSpace()
            try expect(UInt8(ascii: ":"), "a colon was expected")
            skipSpace()
            let start = position
            try skipValue(depth: depth + 1)
            members.append((name, start..<position))
            skipSpace()
            if current == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try expect(UInt8(ascii: "}"), "a comma or the object's end was expected")
            return members
        }
    }

    private mutating func array(depth: Int) throws(JSONProblem) -> [Range<Int>] {
        position += 1
        var elements: [Range<Int>] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            skipSpace()
            let start = position
            try skipValue(depth: depth + 1)
            elements.append(start..<position)
            skipSpace()
            if current == UInt8(ascii: ",") {
                position += 1
                continue
            }
            try expect(UInt8(ascii: "]"), "a comma or the array's end was expected")
            return elements
        }
    }

    private mutating func skipValue(depth: Int) throws(JSONProblem) {
        guard depth <= Self.deepest else { throw problem("the text nests too deeply") }
        switch current {
        case UInt8(ascii: "{"): _ = try object(depth: depth)
        case UInt8(ascii: "["): _ = try array(depth: depth)
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: try skipNumber()
        }
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONProblem) {
        for byte in word.description.utf8 { try expect(byte, "a value was expected") }
    }

    private mutating func skipNumber() throws(JSONProblem) {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits()
        }
        if current == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONProblem) {
        let start = position
        while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw problem("a value was expected") }
    }
}

extension JSONReader {
    private mutating func string() throws(JSONProblem) -> String {
        try expect(UInt8(ascii: "\""), "a string was expected")
        let start = position
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if current == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: bytes[start..<(position - 1)], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw problem("a control character must be escaped")
            default: text.append(byte)
            }
        }
        throw problem("the string does not end")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONProblem) {
        guard let byte = current else { throw problem("the string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try scalar()).utf8)
        default: throw problem("no such escape")
        }
    }

    private mutating func scalar() throws(JSONProblem) -> Unicode.Scalar {
        var value = try fourDigits()
        if value >= 0xD800, value < 0xDC00 {
            try expect(UInt8(ascii: "\\"), "the second half of a surrogate pair was expected")
            try expect(UInt8(ascii: "u"), "the second half of a surrogate pair was expected")
            let low = try fourDigits()
            guard low >= 0xDC00, low < 0xE000 else {
                throw problem("the second half of a surrogate pair was expected")
            }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw problem("a surrogate stands alone") }
        return scalar
    }

    private mutating func fourDigits() throws(JSONProblem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch current {
            case .some(let byte) where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): digit = byte - 0x30
            case .some(let byte) where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"): digit = byte - 0x57
            case .some(let byte) where byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F"): digit = byte - 0x37
            default: throw problem("four hexadecimal digits were expected")
            }
            position += 1
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
