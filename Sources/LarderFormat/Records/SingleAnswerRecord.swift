/// A record of `collections`: how a row that was fetched by itself was fetched.
///
/// FORMAT.md, "collections". Key: (3, group, id, type, key). It may outlive the row, and means nothing without it.
package struct SingleAnswerRecord: Hashable, Sendable {
    /// The entity tag as the server sent it.
    package var entityTag: String?
    /// The last-modified date as the server sent it.
    package var lastModified: String?
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    package var fetchedAt: Int64
    /// The generation that the row was in; nil where its resource had no rows, and in records of older versions. The record
    /// means nothing when another generation is live.
    package var generation: Int64?

    /// Makes a record.
    package init(
        entityTag: String? = nil, lastModified: String? = nil, fetchedAt: Int64, generation: Int64? = nil
    ) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.fetchedAt = fetchedAt
        self.generation = generation
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        entityTag = try reader.optionalText()
        lastModified = try reader.optionalText()
        fetchedAt = try reader.integer()
        // Not there in records of older versions; whatever else is there names no generation.
        generation = try? reader.optionalCount("generation")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(optionalText: entityTag)
        writer.append(optionalText: lastModified)
        writer.append(integer: fetchedAt)
        if let generation { writer.append(integer: generation) }
        return writer.bytes
    }
}
