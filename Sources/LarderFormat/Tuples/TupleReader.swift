/// A reader of elements in order, which rejects every byte that no writer produces.
///
/// FORMAT.md, "Elements". Each read throws ``FormatError/truncated(offset:)`` when the bytes end before the element
/// does, ``FormatError/unexpectedElement(expected:code:offset:)`` for an element of another kind and
/// ``FormatError/unknownCode(_:offset:)`` for a byte that begins none. After an error the position is unspecified; make
/// a new reader.
package struct TupleReader: ~Escapable {
    private let source: RawSpan
    /// The position of the next element, in bytes from the start.
    package private(set) var offset: Int

    /// Begins at the first byte.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) {
        source = bytes
        offset = 0
    }

    /// Whether every byte was read.
    package var isAtEnd: Bool { offset == source.byteCount }

    /// Whether the next element is bytes; false at the end, and before an element that is not known.
    package var isAtBytes: Bool { source.byte(at: offset) == TupleCode.bytes }

    /// Whether the next element is a text; false at the end, and before an element that is not known.
    package var isAtText: Bool { source.byte(at: offset) == TupleCode.text }

    /// Whether the next element is null.
    package var isAtNull: Bool { source.byte(at: offset) == TupleCode.null }

    /// Whether the next element is an integer; false at the end, and before an element that is not known.
    package var isAtInteger: Bool {
        source.byte(at: offset).map { (TupleCode.firstInteger...TupleCode.lastInteger).contains($0) } ?? false
    }

    /// Checks that every byte was read: keys have nothing after their last element.
    ///
    /// - Throws: ``FormatError/trailingBytes(offset:)`` when bytes are left.
    package func checkEnd() throws(FormatError) {
        guard isAtEnd else { throw .trailingBytes(offset: offset) }
    }

    /// Reads an integer.
    ///
    /// - Throws: ``FormatError/notCanonical(offset:)`` for leading zero bytes,
    ///   ``FormatError/integerOutOfRange(offset:)`` beyond 64 bits signed; else as every read.
    package mutating func integer() throws(FormatError) -> Int64 {
        let code = try peek()
        guard code >= TupleCode.firstInteger, code <= TupleCode.lastInteger else {
            throw unexpected(.integer, code: code)
        }
        return try integerBody(code: code)
    }

    /// Reads a text.
    ///
    /// - Throws: ``FormatError/invalidUTF8(offset:)``; else as every read.
    package mutating func text() throws(FormatError) -> String {
        let code = try peek()
        guard code == TupleCode.text else { throw unexpected(.text, code: code) }
        return try textBody()
    }

    /// Reads bytes.
    ///
    /// - Throws: ``FormatError`` as every read.
    package mutating func bytes() throws(FormatError) -> [UInt8] {
        let code = try peek()
        guard code == TupleCode.bytes else { throw unexpected(.bytes, code: code) }
        return try escapedBody()
    }

    /// Reads a truth value.
    ///
    /// - Throws: ``FormatError`` as every read.
    package mutating func bool() throws(FormatError) -> Bool {
        let code = try peek()
        guard code == TupleCode.no || code == TupleCode.yes else { throw unexpected(.bool, code: code) }
        offset += 1
        return code == TupleCode.yes
    }

    /// Reads a UUID.
    ///
    /// - Throws: ``FormatError`` as every read.
    package mutating func uuid() throws(FormatError) -> UUIDBytes {
        let code = try peek()
        guard code == TupleCode.uuid else { throw unexpected(.uuid, code: code) }
        guard let high = source.littleEndian(at: offset + 1, as: UInt64.self),
            let low = source.littleEndian(at: offset + 9, as: UInt64.self)
        else { throw .truncated(offset: source.byteCount) }
        offset += 17
        return UUIDBytes(high: high.byteSwapped, low: low.byteSwapped)
    }

    /// Reads a record key.
    ///
    /// - Throws: ``FormatError/notCanonical(offset:)`` for a text that is a canonical decimal, because one key has one
    ///   encoding; else as ``text()`` and ``integer()``.
    package mutating func recordKey() throws(FormatError) -> String {
        let start = offset
        let code = try peek()
        switch code {
        case TupleCode.decimal:
            return String(try decimalBody())
        case TupleCode.text:
            let text = try textBody()
            guard RecordKey.canonicalDecimal(text) == nil else { throw .notCanonical(offset: start) }
            return text
        default:
            throw unexpected(.recordKey, code: code)
        }
    }

    /// Reads the group and the number of a resource.
    ///
    /// - Throws: ``FormatError`` as ``text()`` and ``integer()``.
    package mutating func resource() throws(FormatError) -> ResourceKey {
        let group = try text()
        return ResourceKey(group, try integer())
    }

    /// Reads the full name of a row.
    mutating func row() throws(FormatError) -> RowKey {
        let resource = try resource()
        let type = try text()
        return RowKey(resource: resource, type: type, key: try recordKey())
    }

    /// Reads an element of any kind.
    ///
    /// - Throws: ``FormatError`` as the read of its kind.
    package mutating func element() throws(FormatError) -> TupleElement {
        let code = try peek()
        switch code {
        case TupleCode.null:
            offset += 1
            return .null
        case TupleCode.decimal: return .decimal(try decimalBody())
        case TupleCode.text: return .text(try textBody())
        case TupleCode.bytes: return .bytes(try escapedBody())
        case TupleCode.firstInteger...TupleCode.lastInteger: return .integer(try integerBody(code: code))
        case TupleCode.no, TupleCode.yes: return .bool(try bool())
        case TupleCode.uuid: return .uuid(try uuid())
        default: throw .unknownCode(code, offset: offset)
        }
    }
}

extension TupleReader {
    private func peek() throws(FormatError) -> UInt8 {
        guard let code = source.byte(at: offset) else { throw .truncated(offset: source.byteCount) }
        return code
    }

    /// Skips a null, and returns whether there was one.
    mutating func consumeNull() throws(FormatError) -> Bool {
        guard try peek() == TupleCode.null else { return false }
        offset += 1
        return true
    }

    private func unexpected(_ expected: FormatError.ElementKind, code: UInt8) -> FormatError {
        switch code {
        case TupleCode.null...TupleCode.bytes, TupleCode.firstInteger...TupleCode.lastInteger, TupleCode.no,
            TupleCode.yes, TupleCode.uuid:
            .unexpectedElement(expected: expected, code: code, offset: offset)
        default:
            .unknownCode(code, offset: offset)
        }
    }

    private mutating func integerBody(code: UInt8) throws(FormatError) -> Int64 {
        let isNegative = code < TupleCode.zero
        let size = Int(isNegative ? TupleCode.zero - code : code - TupleCode.zero)
        var bits: UInt64 = 0
        for index in 0..<size {
            guard let byte = source.byte(at: offset + 1 + index) else { throw .truncated(offset: source.byteCount) }
            bits = bits << 8 | UInt64(isNegative ? ~byte : byte)
        }
        guard TupleLength.significantBytes(of: bits) == size else { throw .notCanonical(offset: offset) }
        guard bits <= (isNegative ? Int64.min.magnitude : Int64.max.magnitude) else {
            throw .integerOutOfRange(offset: offset)
        }
        offset += 1 + size
        // Exact: the magnitude was checked above, and the two's complement of 2^63 is Int64.min.
        return Int64(truncatingIfNeeded: isNegative ? 0 &- bits : bits)
    }

    private mutating func decimalBody() throws(FormatError) -> Int64 {
        offset += 1
        return try integer()
    }

    private mutating func textBody() throws(FormatError) -> String {
        let start = offset
        let extent = try escapedExtent()
        if extent.zeros > 0 {
            let plain = try escapedBody()
            guard let text = plain.rawSpan.text() else { throw .invalidUTF8(offset: start) }
            return text
        }
        guard let text = source.extracting(start + 1..<extent.end).text() else { throw .invalidUTF8(offset: start) }
        offset = extent.end + 1
        return text
    }

    private mutating func escapedBody() throws(FormatError) -> [UInt8] {
        let extent = try escapedExtent()
        let raw = [UInt8](copying: source.extracting(offset + 1..<extent.end))
        offset = extent.end + 1
        guard extent.zeros > 0 else { return raw }
        var plain: [UInt8] = []
        plain.reserveCapacity(raw.count - extent.zeros)
        var index = 0
        while index < raw.count {
            plain.append(raw[index])
            index += raw[index] == TupleCode.terminator ? 2 : 1
        }
        return plain
    }

    /// Returns the position of the terminator of the escaped element at `offset`, and the number of escaped zero bytes
    /// before it.
    private func escapedExtent() throws(FormatError) -> (end: Int, zeros: Int) {
        var position = offset + 1
        var zeros = 0
        while let zero = source.firstZero(from: position) {
            guard source.byte(at: zero + 1) == TupleCode.escape else { return (zero, zeros) }
            zeros += 1
            position = zero + 2
        }
        throw .truncated(offset: source.byteCount)
    }
}
