/// A value in the form that it has in the keys of `indexes`, which sorts as SQLite sorts values.
///
/// FORMAT.md, "indexes". The form of a number is exact; a text may be folded and cut.
package enum IndexTerm: Hashable, Sendable {
    /// Class 0.
    case null
    /// Class 1.
    case number(IndexNumber)
    /// Class 2: the bytes that are compared, and whether more follow.
    case text([UInt8], isTruncated: Bool)

    /// Converts `value`; nil for a blob, and for NaN, which no JSON payload has.
    package init?(_ value: IndexValue, _ collation: IndexCollation) {
        switch value {
        case .null: self = .null
        case .integer, .real:
            guard let number = IndexNumber(value) else { return nil }
            self = .number(number)
        case .text(let text): self = text.withUTF8Span { Self.text($0, collation) }
        case .blob: return nil
        }
    }

    private static func text(_ source: Span<UInt8>, _ collation: IndexCollation) -> IndexTerm {
        var bytes: [UInt8] = []
        // Code and terminator.
        var encoded = 2
        bytes.reserveCapacity(min(source.count, Limits.indexText))
        for index in 0..<source.count {
            let byte = source[index]
            // SQLite's case-insensitive comparison ends at U+0000.
            if byte == 0, collation == .nocase { return .text(bytes, isTruncated: true) }
            encoded += byte == TupleCode.terminator ? 2 : 1
            if encoded > Limits.indexText { return .text(bytes, isTruncated: true) }
            bytes.append(collation == .nocase ? IndexCollation.folded(byte) : byte)
        }
        return .text(bytes, isTruncated: false)
    }

    /// Appends class and value.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package func append(to buffer: inout KeyBuffer) throws(FormatError) {
        switch self {
        case .null: try buffer.append(integer: 0)
        case .number(let number):
            try buffer.append(integer: 1)
            try buffer.append(integer: number.whole)
            try buffer.append(integer: number.rest)
        case .text(let bytes, let isTruncated):
            try buffer.append(integer: 2)
            try buffer.append(bytes: bytes)
            try buffer.append(bool: isTruncated)
        }
    }

    /// Reads class and value.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an unknown class, ``FormatError/notCanonical(offset:)``
    ///   for the parts of no number; else as ``TupleReader``.
    package init(from reader: inout TupleReader) throws(FormatError) {
        let kind = try reader.integer()
        switch kind {
        case 0: self = .null
        case 1:
            let start = reader.offset
            let number = IndexNumber(whole: try reader.integer(), rest: try reader.integer())
            guard number.value != nil else { throw .notCanonical(offset: start) }
            self = .number(number)
        case 2:
            let bytes = try reader.bytes()
            self = .text(bytes, isTruncated: try reader.bool())
        default: throw .invalidValue(field: "class", value: kind)
        }
    }
}
