/// A record of `collections`: a collection, without the rows it holds.
///
/// FORMAT.md, "collections". Key: (2, number).
package struct CollectionRecord: Hashable, Sendable {
    /// What it is known by.
    package var name: CollectionName
    /// The resource most of its rows belong to.
    package var home: ResourceKey
    /// The entity tag as the server sent it.
    package var entityTag: String?
    /// The last-modified date as the server sent it.
    package var lastModified: String?
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    package var fetchedAt: Int64
    /// How many rows it holds.
    package var rowCount: Int64
    /// How many chunks name them.
    package var chunkCount: Int64

    /// The record of a collection without rows.
    package init(name: CollectionName, home: ResourceKey, fetchedAt: Int64) {
        self.name = name
        self.home = home
        self.fetchedAt = fetchedAt
        rowCount = 0
        chunkCount = 0
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        name = try CollectionName(from: &reader)
        home = try reader.resource()
        entityTag = try reader.optionalText()
        lastModified = try reader.optionalText()
        fetchedAt = try reader.integer()
        rowCount = try reader.count("rows")
        chunkCount = try reader.count("chunks")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: name.className)
        name.encodeRest(to: &writer)
        writer.append(resource: home)
        writer.append(optionalText: entityTag)
        writer.append(optionalText: lastModified)
        writer.append(integer: fetchedAt)
        writer.append(integer: rowCount)
        writer.append(integer: chunkCount)
        return writer.bytes
    }
}

/// A record of `collections`: the number of the collection with a name.
///
/// FORMAT.md, "collections". Key: (0, class, head of the query, hash).
package struct CollectionNumberRecord: Hashable, Sendable {
    /// The number of the collection.
    package var number: Int64

    /// Makes a record.
    package init(number: Int64) {
        self.number = number
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        number = try reader.count("number")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: number)
        return writer.bytes
    }
}

/// A record of `collections`: that a collection holds a row.
///
/// FORMAT.md, "collections". Key: (1, group, id, type, key, number).
package struct CollectionHolderRecord: Hashable, Sendable {
    /// How often the collection holds the row, at least once.
    package var times: Int64

    /// Makes a record.
    package init(times: Int64) {
        self.times = times
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        times = try reader.count("times")
        if times == 0 { throw .invalidValue(field: "times", value: 0) }
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: times)
        return writer.bytes
    }
}
