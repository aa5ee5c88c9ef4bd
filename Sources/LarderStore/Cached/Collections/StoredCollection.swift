public import LarderFormat

/// What a server said an answer can be recognised by. RFC 9110 §8.8.
public struct Validators: Hashable, Sendable {
    /// The entity tag, byte for byte, quotation marks and all; at most ``Limits/validator`` bytes.
    public var entityTag: String?
    /// When it was last modified, as the server wrote it; at most ``Limits/validator`` bytes.
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
    /// What it is known by.
    public let name: CollectionName
    /// Its number, never used twice.
    public let number: Int64
    /// The resource most of its rows belong to.
    public let home: ResourceKey
    /// What the server recognises the answer by.
    public let validators: Validators
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    public let fetchedAt: Int64
    /// How many rows it holds, stored or not.
    public let rowCount: Int

    init(number: Int64, record: CollectionRecord) {
        name = record.name
        self.number = number
        home = record.home
        validators = Validators(entityTag: record.entityTag, lastModified: record.lastModified)
        fetchedAt = record.fetchedAt
        rowCount = Int(clamping: record.rowCount)
    }
}

/// The rows of a collection, copied out of the store.
public struct CollectionRows: Hashable, Sendable {
    /// The rows that are stored, in the order of the collection.
    public let rows: [StoredRow]
    /// The rows that the collection holds and the store does not: removed, or dropped to make room.
    public let missing: [RowKey]

    /// Whether every row of the collection is there.
    public var isComplete: Bool { missing.isEmpty }
}

/// How a row was fetched by itself.
public struct SingleAnswer: Hashable, Sendable {
    /// What the server recognises the answer by.
    public let validators: Validators
    /// When the server last sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    public let fetchedAt: Int64

    /// An answer of these parts.
    public init(validators: Validators, fetchedAt: Int64) {
        self.validators = validators
        self.fetchedAt = fetchedAt
    }
}
