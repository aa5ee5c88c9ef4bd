/// Reads one JSON text that lies in memory as a whole, value by value, in one pass.
///
/// It is a ``JSONScanner`` with one chunk, and accepts what that accepts.
package struct JSONReader: ~Copyable, ~Escapable {
    /// The text.
    package let bytes: Span<UInt8>

    /// Behind the last token.
    package private(set) var position = 0

    private var scanner: JSONScanner

    /// A reader in front of a text.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()) {
        self.bytes = bytes
        scanner = JSONScanner(limits: limits)
    }

    /// The last name, string (escapes decoded) or number that was not skipped; overwritten by the next.
    package var text: [UInt8] { scanner.text }

    /// Which of `names` is ``text``; nil for none of them.
    package func place(in names: [[UInt8]]) -> Int? { scanner.place(in: names) }

    /// Where the last token is spelled, quotes included.
    package var range: Range<Int> { Int(scanner.start)..<position }

    /// The next token, which must come.
    package mutating func token() throws(JSONError) -> JSONToken {
        if let token = try scanner.next(in: bytes, at: &position) { return token }
        if let token = try scanner.finish() { return token }
        throw JSONError(.unexpectedEnd, at: Int64(bytes.count))
    }

    /// Whether another member of the object just begun follows, whose name is then read.
    package mutating func nextName() throws(JSONError) -> Bool { try token() == .name }

    /// Checks that the text is over.
    package mutating func finish() throws(JSONError) {
        _ = try scanner.next(in: bytes, at: &position)
        _ = try scanner.finish()
    }

    /// The next value.
    package mutating func value() throws(JSONError) -> JSONValue { try value(of: token()) }

    /// The value that begins with `token`, the last one; of a container its place.
    ///
    /// Traps when no value begins with it.
    package mutating func value(of token: JSONToken) throws(JSONError) -> JSONValue {
        switch token {
        case .null: return .null
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .number: return JSONValue(number: scanner.text)
        case .string: return .string(String(decoding: scanner.text, as: UTF8.self))
        case .objectBegin: return .object(try skip(token))
        case .arrayBegin: return .array(try skip(token))
        case .name, .objectEnd, .arrayEnd: preconditionFailure("no value begins with \(token)")
        }
    }

    /// Checks the next value without keeping anything of it, and says where it stands.
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        scanner.capturesValues = false
        let token = try token()
        scanner.capturesValues = true
        return try skip(token)
    }

    /// Checks the rest of the value that begins with `token`, the last one, and says where the value stands.
    package mutating func skip(_ token: JSONToken) throws(JSONError) -> Range<Int> {
        let start = range.lowerBound
        if token == .objectBegin || token == .arrayBegin { try skipRest() }
        return start..<position
    }

    /// Checks the rest of the innermost array or object without looking at it.
    package mutating func skipRest() throws(JSONError) {
        // Only the end of the container is reported.
        scanner.quietDepth = scanner.depth - 1
        _ = try token()
        scanner.quietDepth = .max
    }
}
