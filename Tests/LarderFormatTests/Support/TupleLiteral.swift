// TupleLiteral: parses the notation of values in FORMAT.md, section 1.

import LarderFormat

/// Reads the notation of values that FORMAT.md, section 1, describes.
struct TupleLiteral {
    private var rest: Substring

    /// The elements of `(a, b)`, or the one of a bare value; `nil` when `text` is neither.
    static func elements(_ text: String) -> [TupleElement]? {
        if text == "()" { return [] }
        let isTuple = text.hasPrefix("(") && text.hasSuffix(")")
        if text == "()" { return [] }
        var literal = TupleLiteral(rest: isTuple ? text.dropFirst().dropLast() : text[...])
        var elements: [TupleElement] = []
        repeat {
            guard let element = literal.element() else { return nil }
            elements.append(element)
        } while literal.consume(", ")
        return literal.rest.isEmpty ? elements : nil
    }

    private mutating func consume(_ prefix: String) -> Bool {
        guard rest.hasPrefix(prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    private mutating func element() -> TupleElement? {
        if consume("\"") { return text().map { .text($0) } }
        if consume("x'") {
            let digits = rest.prefix { $0 != "'" }
            rest = rest.dropFirst(digits.count + 1)
            return [UInt8](hexadecimal: digits).map { .bytes($0) }
        }
        let isDecimal = consume("#")
        let word = rest.prefix { $0 != "," }
        rest = rest.dropFirst(word.count)
        if let number = Int64(word) { return isDecimal ? .decimal(number) : .integer(number) }
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: return UUIDBytes(String(word)).map { .uuid($0) }
        }
    }

    /// The text up to the closing quotation mark, scalar by scalar, so that nothing is composed on the way.
    private mutating func text() -> String? {
        var scalars = String.UnicodeScalarView()
        var input = rest.unicodeScalars
        while let scalar = input.popFirst() {
            switch scalar {
            case "\"":
                rest = Substring(input)
                return String(scalars)
            case "\\":
                guard let escaped = input.popFirst() else { return nil }
                guard escaped == "u" else {
                    scalars.append(escaped)
                    continue
                }
                let digits = input.dropFirst().prefix { $0 != "}" }
                guard let code = UInt32(String(digits), radix: 16), let named = Unicode.Scalar(code) else { return nil }
                scalars.append(named)
                input = input.dropFirst(digits.count + 2)
            default: scalars.append(scalar)
            }
        }
        return nil
    }
}
