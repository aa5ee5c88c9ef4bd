/// A record of `collections`: a collection, without its rows.
///
/// FORMAT.md, "collections". Key: (2, number).
package struct CollectionRecord: TupleRecord, Hashable, Sendable {
    /// The name of the collection.
    package var name = CollectionName(class: "")
    /// The resource most of its rows belong to.
    package var mainResource = ResourceKey("", 0)
    /// The entity tag as the server sent it.
    package var entityTag: String?
    /// The last-modified date as the server sent it.
    package var lastModified: String?
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    package var fetchedAt: Int64 = 0
    /// The number of rows.
    package var rowCount: Int64 = 0
    /// The number of chunks that name the rows.
    package var chunkCount: Int64 = 0

    package init() {}

    /// The record of a collection without rows.
    package init(name: CollectionName, mainResource: ResourceKey, fetchedAt: Int64) {
        self.name = name
        self.mainResource = mainResource
        self.fetchedAt = fetchedAt
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        name.codeFields(&coder)
        coder.resource(&mainResource)
        coder.text(&entityTag)
        coder.text(&lastModified)
        coder.integer(&fetchedAt)
        coder.count("rows", &rowCount)
        coder.count("chunks", &chunkCount)
    }
}

/// A record of `collections`: the number of the collection with a name.
///
/// FORMAT.md, "collections". Key: (0, class, head of the query, hash).
package struct CollectionNumberRecord: TupleRecord, Hashable, Sendable {
    /// The number of the collection.
    package var number: Int64 = 0

    package init() {}

    /// Makes a record.
    package init(number: Int64) {
        self.number = number
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("number", &number)
    }
}

/// A record of `collections`: a collection contains a row.
///
/// FORMAT.md, "collections". Key: (1, group, id, type, key, number).
package struct CollectionMembershipRecord: TupleRecord, Hashable, Sendable {
    /// The number of times that the collection contains the row, at least 1.
    package var count: Int64 = 1

    package init() {}

    /// Makes a record.
    package init(count: Int64) {
        self.count = count
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("times", &count)
        coder.require(count > 0, "times", count)
    }
}
