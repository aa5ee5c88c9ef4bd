/// The members of a snapshot beside its records.
public struct SnapshotHeader: Hashable, Sendable {
    /// The group of the resource, `resource_group`.
    public var group: String
    /// The resource within its group, `resource_id`; 1 or greater.
    public var id: Int64
    /// `resource_content_id`; `nil` when it is `null` or absent. Not even identity depends on it.
    public var contentID: Int64?
    /// The version of the records' schema, `schema_version`.
    public var schemaVersion: Int64
    /// The server's sequence when the snapshot was made, `sync_sequence`; 0 or greater.
    public var sequence: Int64
    /// The number of records in the snapshot.
    public var recordCount: Int

    /// A header of the given parts.
    public init(
        group: String, id: Int64, contentID: Int64?, schemaVersion: Int64, sequence: Int64, recordCount: Int
    ) {
        self.group = group
        self.id = id
        self.contentID = contentID
        self.schemaVersion = schemaVersion
        self.sequence = sequence
        self.recordCount = recordCount
    }
}
