/// A reader of one whole JSON text in memory, value by value, in one pass.
///
/// It is a ``JSONScanner`` with one chunk, which accepts and throws the same.
package struct JSONReader: ~Copyable, ~Escapable {
    /// The text.
    package let bytes: Span<UInt8>

    /// The position just behind the last token.
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

    /// Returns the index of ``text`` in `names`, or nil.
    package func place(in names: [[UInt8]]) -> Int? { scanner.place(in: names) }

    /// The place of the last token, quotes included.
    package var range: Range<Int> { Int(scanner.start)..<position }

    /// Reads the next token.
    ///
    /// - Throws: ``JSONError`` as ``JSONScanner/next(in:at:)``, or with ``JSONError/Reason/unexpectedEnd`` when no
    ///   token follows.
    package mutating func token() throws(JSONError) -> JSONToken {
        if let token = try scanner.next(in: bytes, at: &position) { return token }
        if let token = try scanner.finish() { return token }
        throw JSONError(.unexpectedEnd, at: Int64(bytes.count))
    }

    /// Reads the next token, and returns whether it is the name of another member of the current object.
    ///
    /// - Throws: ``JSONError`` as ``token()``.
    package mutating func nextName() throws(JSONError) -> Bool { try token() == .name }

    /// Checks that nothing but white space follows.
    ///
    /// - Throws: ``JSONError`` as ``JSONScanner/next(in:at:)`` and ``JSONScanner/finish()``.
    package mutating func finish() throws(JSONError) {
        _ = try scanner.next(in: bytes, at: &position)
        _ = try scanner.finish()
    }

    /// Reads the next value.
    ///
    /// - Throws: ``JSONError`` as ``token()``.
    package mutating func value() throws(JSONError) -> JSONValue { try value(of: token()) }

    /// Reads the value that begins with `token`, the last one read; returns only the place of a container.
    ///
    /// Traps when no value begins with `token`.
    ///
    /// - Throws: ``JSONError`` as ``token()``.
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

    /// Checks the next value without capturing it, and returns its place.
    ///
    /// - Throws: ``JSONError`` as ``token()``.
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        if let value = scanner.skipPlainValue(in: bytes, from: position) {
            position = value.upperBound
            return value
        }
        scanner.capturesValues = false
        let token = try token()
        scanner.capturesValues = true
        return try skip(token)
    }

    /// Checks the rest of the value that begins with `token`, which is the last one read, and returns the value's
    /// place.
    ///
    /// - Throws: ``JSONError`` as ``token()``.
    package mutating func skip(_ token: JSONToken) throws(JSONError) -> Range<Int> {
        let start = range.lowerBound
        if token == .objectBegin || token == .arrayBegin { try skipRest() }
        return start..<position
    }

    /// Checks the rest of the innermost array or object without capturing it.
    ///
    /// - Throws: ``JSONError`` as ``token()``.
    package mutating func skipRest() throws(JSONError) {
        if let end = try scanner.skipPlainRest(in: bytes, from: position) { return position = end }
        // Only the end of the container is reported.
        scanner.maxReportedDepth = scanner.depth - 1
        _ = try token()
        scanner.maxReportedDepth = .max
    }
}
