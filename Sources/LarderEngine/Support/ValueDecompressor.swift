/// The decompression of values of an environment: readers get the plain ones of those that are stored compressed.
///
/// Who writes a value decides whether it is compressed; a cipher seals it afterwards. One serves one environment.
package protocol ValueDecompressor: AnyObject, Sendable {
    /// The table that has compressed values, and the one with the records that decompressing them needs.
    var tables: (compressed: String, records: String) { get }

    /// Returns the size of the plain value, which is bounded; nil for a value that is stored as it is.
    func plainSize(of value: RawSpan) -> Int?

    /// Decompresses a value that ``plainSize(of:)`` has a size of.
    ///
    /// - Parameter output: of that size; filled as a whole where the outcome is ``Decompression/done``.
    func decompress(_ value: RawSpan, into output: inout MutableRawSpan) -> Decompression

    /// Adds a record that ``Decompression/needs(record:)`` has named; a damaged one adds nothing.
    func load(_ record: RawSpan, of key: [UInt8])
}

/// The outcome of a decompression.
package enum Decompression: Hashable, Sendable {
    /// The output has the plain value.
    case done
    /// The value needs the record of this key first.
    case needs(record: [UInt8])
    /// The value is damaged. It is delivered as it is, which every reader refuses, so that it is damage of one record.
    case failed
}
