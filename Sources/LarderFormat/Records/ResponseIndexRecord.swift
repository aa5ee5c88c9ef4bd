/// A record of `responses` that refers to a response by its tag.
///
/// FORMAT.md, "responses". Key: ``ResponseKey/tag(_:_:)``.
package struct ResponseIndexRecord: TupleRecord, Hashable, Sendable {
    /// The blob of the response, which distinguishes a replaced response from its successor.
    package var blob: Int64 = 0

    package init() {}

    /// Makes a record.
    package init(blob: Int64) { self.blob = blob }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("blob", &blob)
    }
}
