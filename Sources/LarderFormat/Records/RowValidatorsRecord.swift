/// A record of `collections`: the validators and the fetch time of a row that was fetched singly.
///
/// FORMAT.md, "collections". Key: (3, group, id, type, key). It may outlive the row, and has no meaning without it.
package struct RowValidatorsRecord: TupleRecord, Hashable, Sendable {
    /// The entity tag as the server sent it.
    package var entityTag: String?
    /// The last-modified date as the server sent it.
    package var lastModified: String?
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    package var fetchedAt: Int64 = 0
    /// The generation that the row was in; nil where its resource had no rows. The record has no meaning when another
    /// generation is live.
    package var generation: Int64?

    package init() {}

    /// Makes a record.
    package init(
        entityTag: String? = nil, lastModified: String? = nil, fetchedAt: Int64, generation: Int64? = nil
    ) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.fetchedAt = fetchedAt
        self.generation = generation
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&entityTag)
        coder.text(&lastModified)
        coder.integer(&fetchedAt)
        coder.trailing(&generation)
        coder.require(generation ?? 0 >= 0, "generation", generation ?? 0)
    }
}
