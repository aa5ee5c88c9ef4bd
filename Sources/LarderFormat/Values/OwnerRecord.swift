/// The first record of every generation in `rows`: the owner of the rows that follow.
///
/// FORMAT.md, "rows". Key: (generation) alone, ``RowKeyCoding/prefix(generation:)``. Its seed is ``TableName/seed``.
package struct OwnerRecord: TupleRecord, Hashable, Sendable {
    /// The resource that the generation belongs to.
    package var owner = ResourceKey("", 0)

    package init() {}

    /// Creates the record of an owner.
    package init(owner: ResourceKey) { self.owner = owner }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.resource(&owner)
    }
}
