/// The type of a mutation, as the server spells it; types of later protocol versions are kept as they are.
public struct MutationType: RawRepresentable, Hashable, Sendable {
    /// The spelling on the wire.
    public let rawValue: String

    /// A type of any spelling.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A resource is public; its snapshot replaces all local rows.
    public static let resourceCreate = MutationType(rawValue: "RESOURCE_CREATE")
    /// A resource changed as a whole; its snapshot replaces all local rows.
    public static let resourceInvalidate = MutationType(rawValue: "RESOURCE_INVALIDATE")
    /// A resource is no longer public.
    public static let resourceDelete = MutationType(rawValue: "RESOURCE_DELETE")
    /// A resource is fresh as of this change; rows stay as they are.
    public static let resourceUpdate = MutationType(rawValue: "RESOURCE_UPDATE")
    /// A row is new.
    public static let rowCreate = MutationType(rawValue: "ROW_CREATE")
    /// A row has a new body, given whole.
    public static let rowUpdate = MutationType(rawValue: "ROW_UPDATE")
    /// A row is gone.
    public static let rowDelete = MutationType(rawValue: "ROW_DELETE")

    private static let known: Set<MutationType> = [
        .resourceCreate, .resourceInvalidate, .resourceDelete, .resourceUpdate, .rowCreate, .rowUpdate, .rowDelete,
    ]

    /// Whether this version of the protocol has the type.
    public var isKnown: Bool { Self.known.contains(self) }

    /// Whether the type concerns one row.
    public var isRow: Bool { self == .rowCreate || self == .rowUpdate || self == .rowDelete }

    /// Whether the type requires the resource's snapshot.
    public var needsSnapshot: Bool { self == .resourceCreate || self == .resourceInvalidate }
}

/// One change of a resource or of a row of it.
public struct Mutation: Hashable, Sendable {
    /// The resource that changed.
    public struct Resource: Hashable, Sendable {
        /// The group; not empty.
        public var group: String
        /// The resource within its group; 1 or greater.
        public var id: Int64

        /// A resource of the given name.
        public init(group: String, id: Int64) {
            self.group = group
            self.id = id
        }
    }

    /// The server's number of this change; 0 or greater.
    public var sequence: Int64
    /// The type of the change.
    public var type: MutationType
    /// The resource that changed.
    public var resource: Resource
    /// The kind of row; never `nil` in row changes.
    public var recordType: String?
    /// The row among those of its type; never `nil` in row changes.
    public var recordKey: String?
    /// The time at which the server recorded the change, in milliseconds since 1970-01-01 UTC; `nil` only in unknown
    /// types.
    public var changedAt: Int64?
    /// The row's new body as it is on the wire, an object. It is never `nil` in ``MutationType/rowCreate`` and
    /// ``MutationType/rowUpdate``, and always `nil` in other known types.
    public var data: [UInt8]?
    /// The path of the snapshot, unchecked (see ``ServerPath``); never `nil` where ``MutationType/needsSnapshot``.
    public var snapshotURL: String?
    /// The reason a resource is no longer public, in the server's words.
    public var unavailableReason: String?

    /// A change of the given parts.
    public init(
        sequence: Int64, type: MutationType, resource: Resource, recordType: String? = nil, recordKey: String? = nil,
        changedAt: Int64? = nil, data: [UInt8]? = nil, snapshotURL: String? = nil, unavailableReason: String? = nil
    ) {
        self.sequence = sequence
        self.type = type
        self.resource = resource
        self.recordType = recordType
        self.recordKey = recordKey
        self.changedAt = changedAt
        self.data = data
        self.snapshotURL = snapshotURL
        self.unavailableReason = unavailableReason
    }
}
