public import LarderFormat

/// The validators of a server's response. RFC 9110 §8.8.
public struct Validators: Hashable, Sendable {
    /// The entity tag, byte for byte, with its quotation marks; at most `Limits.validator` bytes.
    public var entityTag: String?
    /// When it was last modified, as the server wrote it; at most `Limits.validator` bytes.
    public var lastModified: String?

    /// Validators of these parts.
    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// Whether there is none.
    public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}

/// A collection as it is stored: everything but the rows it holds.
public struct StoredCollection: Hashable, Sendable {
    /// The name of the collection.
    public let name: CollectionName
    /// Its number, never used twice.
    public let number: Int64
    /// The resource most of its rows belong to.
    public let home: ResourceKey
    /// The validators of the server's response.
    public let validators: Validators
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    public let fetchedAt: Int64
    /// The number of rows it holds, stored or not.
    public let rowCount: Int

    init(number: Int64, record: CollectionRecord) {
        name = record.name
        self.number = number
        home = record.mainResource
        validators = Validators(entityTag: record.entityTag, lastModified: record.lastModified)
        fetchedAt = record.fetchedAt
        rowCount = Int(clamping: record.rowCount)
    }
}

/// The rows of a collection, copied out of the store.
public struct CollectionRows: Hashable, Sendable {
    /// The rows that are stored, in the order of the collection.
    public let rows: [StoredRow]
    /// The rows that the collection holds and the store does not: removed, or evicted to free space.
    public let missing: [RowKey]

    /// Whether every row of the collection is there.
    public var isComplete: Bool { missing.isEmpty }
}

/// The response with which a row was fetched on its own.
public struct SingleAnswer: Hashable, Sendable {
    /// The validators of the response.
    public let validators: Validators
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    public let fetchedAt: Int64

    /// A response of these parts.
    public init(validators: Validators, fetchedAt: Int64) {
        self.validators = validators
        self.fetchedAt = fetchedAt
    }
}
