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

    /// Checks and skips the value behind a name that was read last, and returns its place in `chunk`; nil, with nothing
    /// skipped, where its tokens have to be read.
    mutating func skipPlainValue(in chunk: Span<UInt8>, from position: Int) -> Range<Int>? {
        guard mode == .structure, expectation == .colon else { return nil }
        let depth = min(JSONSkipping.maxDepth, limits.depth - depth)
        guard let value = JSONSkipping(chunk).valueBehindColon(at: position, depth: depth) else { return nil }
        start = consumed &+ Int64(value.lowerBound)
        completeValue()
        return value
    }

    /// Checks and skips the next members of an object up to one that has one of `names`, or whose tokens have to be
    /// read.
    package mutating func skipPlainMembers(in chunk: Span<UInt8>, from position: inout Int, without names: [[UInt8]]) {
        guard mode == .structure, expectation == .commaOrObjectEnd || expectation == .nameOrObjectEnd else { return }
        let end = JSONSkipping(chunk).endOfMembers(
            from: position, isFirst: expectation == .nameOrObjectEnd, without: names, longest: limits.text,
            depth: min(JSONSkipping.maxDepth, limits.depth - depth))
        if end == position { return }
        position = end
        expectation = .commaOrObjectEnd
    }

    /// Checks and skips the rest of an object, behind its brace or one of its members, and returns its end in `chunk`;
    /// nil, with nothing skipped, where its tokens have to be read.
    mutating func skipPlainRest(in chunk: Span<UInt8>, from position: Int) throws(JSONError) -> Int? {
        guard mode == .structure else { return nil }
        let depth = min(JSONSkipping.maxDepth, limits.depth - depth)
        let found: Int?
        switch expectation {
        case .commaOrObjectEnd: found = JSONSkipping(chunk).endOfObject(behindMemberAt: position, depth: depth)
        case .nameOrObjectEnd: found = JSONSkipping(chunk).endOfObject(behindBraceAt: position, depth: depth)
        default: found = nil
        }
        guard let end = found else { return nil }
        start = consumed &+ Int64(end - 1)
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
    package func place(in names: [[UInt8]]) -> Int? { Self.place(of: text.rawSpan.bytes, in: names) }

    static func place(of text: Span<UInt8>, in names: [[UInt8]]) -> Int? {
        var place = 0
        while place < names.count {
            let name = names[place]
            if name.count == text.count, isSame(name.rawSpan.bytes, text) { return place }
            place += 1
        }
        return nil
    }

    /// Whether both, which have the same length, have the same bytes.
    private static func isSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
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
