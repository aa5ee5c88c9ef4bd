/// A record of `responses` that leads to a response: by tag, or by when it may be swept.
///
/// FORMAT.md, "responses". Key: ``ResponseKey/tag(_:_:)`` or ``ResponseKey/expiry(_:_:)``.
package struct ResponseIndexRecord: Hashable, Sendable {
    /// The blob of the response it leads to, by which one that was replaced is told from its successor.
    package var blob: Int64

    /// Makes a record.
    package init(blob: Int64) { self.blob = blob }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        blob = try reader.count("blob")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: blob)
        return writer.bytes
    }
}
