/// A key of the table `buffers`: the key of a ring, and after it the keys of its points.
///
/// FORMAT.md, "buffers".
package enum BufferKey: Hashable, Sendable {
    /// The key of a ``BufferState``.
    case ring(BufferName)
    /// The key of a ``BufferedPoint``.
    case point(BufferName, sequence: Int64)

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for a negative sequence,
    ///   ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package init(decoding key: RawSpan) throws(FormatError) {
        var reader = TupleReader(key)
        let name = BufferName(try reader.text(), account: try reader.consumeNull() ? nil : reader.text())
        if reader.isAtEnd {
            self = .ring(name)
        } else {
            self = .point(name, sequence: try reader.count("sequence"))
        }
        try reader.checkEnd()
    }

    /// Appends the key.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` for a name beyond ``Limits/buffer`` or an account beyond
    ///   ``Limits/bufferAccount``.
    package func append(to buffer: inout KeyBuffer) throws(FormatError) {
        switch self {
        case .ring(let name): try Self.append(name, to: &buffer)
        case .point(let name, let sequence):
            try Self.append(name, to: &buffer)
            try buffer.append(integer: sequence)
        }
    }

    private static func append(_ name: BufferName, to buffer: inout KeyBuffer) throws(FormatError) {
        try Limits.check(key: TupleLength.text(name.name), limit: Limits.buffer)
        try buffer.append(text: name.name)
        if let account = name.account {
            try Limits.check(key: TupleLength.text(account), limit: Limits.bufferAccount)
            try buffer.append(text: account)
        } else {
            try buffer.appendNull()
        }
    }
}
