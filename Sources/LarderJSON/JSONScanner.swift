/// A strict tokenizer for one JSON text that arrives in chunks of any size.
///
/// It accepts exactly the texts of RFC 8259 in UTF-8, minus three kinds that have no safe meaning: a byte order mark
/// in front (RFC 8259 §8.1 forbids senders to add one), escapes that name half a surrogate pair (§8.2: no string; see
/// ``JSONLimits/replacesLoneSurrogates``), and nesting beyond the limit (§9 allows limits). It keeps nothing but the
/// token in progress: memory is bounded by ``JSONLimits/text`` whatever the length of the text. Names may repeat: that is
/// for the consumer to judge. A text in memory as a whole is one chunk: ``JSONReader``.
///
/// ```swift
/// while let token = try scanner.next(in: chunk, at: &position) { … }   // nil: the chunk is used up
/// let last = try scanner.finish()                                      // after the last chunk
/// ```
///
/// - Complexity: O(1) per byte.
package struct JSONScanner: Sendable {
    /// The bytes of the last captured name, string (escapes decoded, valid UTF-8) or number; overwritten by the next.
    package internal(set) var text: [UInt8] = []

    /// The number of arrays and objects now open.
    package internal(set) var depth = 0

    /// The first byte of the last reported token, counted from the first byte of the text.
    package internal(set) var start: Int64 = 0

    /// The depth beyond which tokens are checked but neither reported nor captured.
    ///
    /// The begin of a container is reported when it stands at this depth, and so is its end; what lies between is not.
    package var quietDepth = Int.max

    /// Whether strings and numbers that are values are captured in ``text``; names always are.
    package var capturesValues = true

    let limits: JSONLimits
    /// The bytes of all earlier chunks.
    var consumed: Int64 = 0
    /// One bit for each array and object now open, the innermost lowest: 1 for an object.
    var kinds: UInt64 = 0
    /// What ``kinds`` was in front of each 64th.
    var outerKinds: [UInt64] = []
    var expectation = Expectation.value
    var mode = Mode.structure
    var isCapturing = false
    var number = NumberState.zero
    var string = StringState()
    var literal = LiteralState(token: .null, rest: 0, left: 0)

    /// A scanner in front of the first byte of a text.
    package init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
        // Room for the names of most texts.
        text.reserveCapacity(64)
    }

    /// What the grammar allows next, outside of a token.
    enum Expectation: UInt8 {
        case value, valueOrArrayEnd, name, nameOrObjectEnd, colon, commaOrArrayEnd, commaOrObjectEnd, nothing
    }

    /// Which kind of token is in progress.
    enum Mode: UInt8 {
        case structure, name, string, number, literal
    }
}

extension JSONScanner {
    /// Advances to the next token that ends in `chunk`; `nil` when the chunk is used up.
    ///
    /// After `nil` the next call must bring the next chunk, with `position` at 0. After an error the scanner must not
    /// be used again.
    ///
    /// - Parameters:
    ///   - chunk: the bytes that follow those of the chunk before; may be empty.
    ///   - position: where to go on in `chunk`; afterwards just behind the token. A number ends where the byte after
    ///     it is seen, so `position` is then that byte.
    /// - Throws: ``JSONError`` at the first byte that no acceptable text could have there.
    package mutating func next(in chunk: Span<UInt8>, at position: inout Int) throws(JSONError) -> JSONToken? {
        let end = chunk.count
        while position < end {
            let token: JSONToken?
            switch mode {
            case .structure: token = try structure(chunk, &position)
            case .name, .string: token = try stringBody(chunk, &position)
            case .number: token = try numberBody(chunk, &position)
            case .literal: token = try literalBody(chunk, &position)
            }
            guard let token else { continue }
            if isReported(token) { return token }
        }
        let (total, overflowed) = consumed.addingReportingOverflow(Int64(end))
        guard !overflowed, total <= limits.document else {
            throw JSONError(.documentTooLong, at: max(consumed, limits.document))
        }
        consumed = total
        return nil
    }

    /// Ends the text: checks that it was whole.
    ///
    /// - Returns: the number that the text consisted of or `nil`: only a number is not over before the text is.
    /// - Throws: ``JSONError/Reason/unexpectedEnd`` when something is missing.
    package mutating func finish() throws(JSONError) -> JSONToken? {
        if mode == .number, depth == 0, number.isComplete {
            completeValue()
            return .number
        }
        guard mode == .structure, expectation == .nothing else { throw JSONError(.unexpectedEnd, at: consumed) }
        return nil
    }

    /// Which of `names` is the last captured name, string or number; nil for none of them.
    package func place(in names: [[UInt8]]) -> Int? {
        let text = text.span
        let names = names.span
        var place = 0
        while place < names.count {
            if Self.isSame(names[place].span, text) { return place }
            place += 1
        }
        return nil
    }

    private static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var index = 0
        while index < left.count, left[index] == right[index] { index += 1 }
        return index == left.count
    }

    /// Whether the consumer asked to see tokens where `token` stands.
    func isReported(_ token: JSONToken) -> Bool {
        switch token {
        case .objectBegin, .arrayBegin: depth - 1 <= quietDepth
        default: depth <= quietDepth
        }
    }

    func failure(_ reason: JSONError.Reason, at position: Int) -> JSONError {
        // `consumed` is at most the document limit or Int64.max less this chunk's length: saturate, never trap.
        let (offset, overflowed) = consumed.addingReportingOverflow(Int64(position))
        return JSONError(reason, at: overflowed ? .max : offset)
    }
}
