/// A record whose whole key is a number of its own.
package protocol NumberedRecord: TupleRecord {}

extension NumberedRecord {
    /// Appends the key of a record.
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func appendKey(_ number: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: number)
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/trailingBytes(offset:)``; else as ``TupleReader/integer()``.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> Int64 {
        var reader = TupleReader(key)
        let number = try reader.integer()
        try reader.checkEnd()
        return number
    }
}
