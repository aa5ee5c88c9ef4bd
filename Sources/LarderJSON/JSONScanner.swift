internal import LarderFormat

/// A strict tokenizer for one JSON text that arrives in chunks of any size.
///
/// It accepts exactly the texts of RFC 8259 in UTF-8, minus three kinds that have no safe meaning. These are a byte
/// order mark in front (RFC 8259 §8.1 forbids senders to add one), escapes that name half a surrogate pair (§8.2: no
/// string; see ``JSONLimits/replacesLoneSurrogates``), and nesting beyond the limit (§9 allows limits). It keeps
/// nothing but the token in progress, so memory is bounded by ``JSONLimits/text`` whatever the length of the text.
/// Names may repeat; the consumer decides about those. For a whole text in memory use ``JSONReader``.
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

    /// The position of the first byte of the last reported token, counted from the first byte of the text.
    package internal(set) var start: Int64 = 0

    /// The depth beyond which tokens are checked but neither reported nor captured.
    ///
    /// A container at this depth is reported with its begin and its end; nothing between them is.
    package var maxReportedDepth = Int.max

    /// Whether strings and numbers that are values are captured in ``text``; names always are.
    package var capturesValues = true

    let limits: JSONLimits
    /// The bytes of all earlier chunks.
    var consumed: Int64 = 0
    /// One bit for each of the innermost open arrays and objects, the innermost lowest: 1 for an object.
    var kinds: UInt64 = 0
    /// The values of ``kinds`` saved at each 64th level.
    var outerKinds: [UInt64] = []
    var expectation = Expectation.value
    var mode = Mode.structure
    var isCapturing = false
    var number = NumberState.zero
    var string = StringState()
    var literal = LiteralState(token: .null, rest: 0, left: 0)

    /// Creates a scanner in front of the first byte of a text.
    package init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
        // Enough for the names of most texts.
        text.reserveCapacity(64)
    }

    /// The part of the grammar that is allowed next, outside of a token.
    enum Expectation: UInt8 {
        case value, valueOrArrayEnd, name, nameOrObjectEnd, colon, commaOrArrayEnd, commaOrObjectEnd, nothing
    }

    /// The kind of token in progress.
    enum Mode: UInt8 {
        case structure, name, string, number, literal
    }
}

extension JSONScanner {
    /// Advances to the next token that ends in `chunk`; `nil` when the chunk is used up.
    ///
    /// After `nil` the next call must pass the next chunk, with `position` at 0. After an error the scanner must not be
    /// used again.
    ///
    /// - Parameters:
    ///   - chunk: the bytes that follow those of the previous chunk; may be empty.
    ///   - position: the position in `chunk` to continue at; afterwards just behind the token. A number ends where the
    ///     byte after it is read, so `position` is then that byte.
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

    /// Skips the value behind a name that was read last, and returns its place; nil where it has to be scanned.
    mutating func skipPlainValue(in text: Span<UInt8>, from position: Int) -> Range<Int>? {
        guard mode == .structure, expectation == .colon, consumed == 0 else { return nil }
        let depth = min(JSONSkipping.maxDepth, limits.depth - depth)
        guard let value = JSONSkipping(text).valueBehindColon(at: position, depth: depth) else { return nil }
        start = Int64(value.lowerBound)
        completeValue()
        return value
    }

    /// Skips the rest of an object behind one of its members, and returns its end; nil where it has to be scanned.
    mutating func skipPlainRest(in text: Span<UInt8>, from position: Int) throws(JSONError) -> Int? {
        guard mode == .structure, expectation == .commaOrObjectEnd, consumed == 0 else { return nil }
        let depth = min(JSONSkipping.maxDepth, limits.depth - depth)
        guard let end = JSONSkipping(text).endOfObject(behindMemberAt: position, depth: depth) else { return nil }
        start = Int64(end - 1)
        _ = try close(UInt8(ascii: "}"), at: end - 1)
        return end
    }

    /// Ends the text and checks that it was complete.
    ///
    /// - Returns: the number that the text consists of, or `nil`: only a number has no end before the end of the text.
    /// - Throws: ``JSONError/Reason/unexpectedEnd`` when something is missing.
    package mutating func finish() throws(JSONError) -> JSONToken? {
        if mode == .number, depth == 0, number.isComplete {
            completeValue()
            return .number
        }
        guard mode == .structure, expectation == .nothing else { throw JSONError(.unexpectedEnd, at: consumed) }
        return nil
    }

    /// Returns the index in `names` of the last captured name, string or number, or nil.
    package func place(in names: [[UInt8]]) -> Int? {
        let text = text.rawSpan.bytes
        var place = 0
        while place < names.count {
            let name = names[place]
            if Self.isSame(name.rawSpan.bytes, text) { return place }
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

    /// Whether tokens at the depth of `token` are to be reported.
    func isReported(_ token: JSONToken) -> Bool {
        switch token {
        case .objectBegin, .arrayBegin: depth - 1 <= maxReportedDepth
        default: depth <= maxReportedDepth
        }
    }

    func failure(_ reason: JSONError.Reason, at position: Int) -> JSONError {
        // `consumed` is at most the document limit or Int64.max less this chunk's length: saturate, never trap.
        let (offset, overflowed) = consumed.addingReportingOverflow(Int64(position))
        return JSONError(reason, at: overflowed ? .max : offset)
    }
}
