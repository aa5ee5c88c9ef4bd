/// A record of `generations`: the owner and the content of a generation.
///
/// FORMAT.md, "generations". Key: (generation). Readers see the generation, or it is being written; a discarded one has
/// no record.
package struct GenerationRecord: NumberedRecord, Hashable, Sendable {
    /// The resource that the generation belongs to.
    package var owner = ResourceKey("", 0)
    /// The number of rows, without the owner row.
    package var rowCount: Int64 = 0
    /// The bytes of keys and values of those rows.
    package var byteCount: Int64 = 0
    /// The wrapping sum of the checksums of those rows.
    package var digest: UInt64 = 0

    package init() {}

    /// Makes a record, by default of a generation without rows.
    package init(owner: ResourceKey, rowCount: Int64 = 0, byteCount: Int64 = 0, digest: UInt64 = 0) {
        self.owner = owner
        self.rowCount = rowCount
        self.byteCount = byteCount
        self.digest = digest
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.resource(&owner)
        coder.count("rowCount", &rowCount)
        coder.count("byteCount", &byteCount)
        coder.bits(&digest)
    }
}
