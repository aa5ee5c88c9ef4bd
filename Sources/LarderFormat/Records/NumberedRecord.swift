/// A record under a number of its own, which is the whole key.
package protocol NumberedRecord: TupleRecord {}

extension NumberedRecord {
    /// Appends the key of a record.
    package static func appendKey(_ number: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: number)
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> Int64 {
        var reader = TupleReader(key)
        let number = try reader.integer()
        try reader.end()
        return number
    }
}
