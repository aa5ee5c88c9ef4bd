/// The first record of every generation in `rows`: whose rows follow.
///
/// FORMAT.md, "rows". Key: (generation) alone, ``RowKeyCoding/prefix(generation:)``. Its seed is ``TableName/seed``.
package struct OwnerRecord: Hashable, Sendable {
    /// The resource that the generation belongs to.
    package var owner: ResourceKey

    /// Names an owner.
    package init(owner: ResourceKey) { self.owner = owner }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        owner = try reader.resource()
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(resource: owner)
        return writer.bytes
    }
}
