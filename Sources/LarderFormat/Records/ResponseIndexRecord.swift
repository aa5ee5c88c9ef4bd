/// A record of `responses` that leads to a response by its tag.
///
/// FORMAT.md, "responses". Key: ``ResponseKey/tag(_:_:)``.
package struct ResponseIndexRecord: TupleRecord, Hashable, Sendable {
    /// The blob of the response it leads to, by which one that was replaced is told from its successor.
    package var blob: Int64 = 0

    package init() {}

    /// Makes a record.
    package init(blob: Int64) { self.blob = blob }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("blob", &blob)
    }
}
