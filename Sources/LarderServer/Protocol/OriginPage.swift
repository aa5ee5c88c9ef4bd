import LarderJSON

/// One page of a sync run, before it is written as JSON.
public struct OriginPage: Hashable, Sendable {
    /// The number of the run's last change.
    public let bound: Int64
    /// The changes, ascending; in a first sync one `RESOURCE_CREATE` per resource.
    public let changes: [Origin.Change]
    /// The cursor of the next page, or `nil` on the last.
    public let cursor: String?
    /// The token, on the last page only.
    public let token: String?
    /// The groups whose changes carry `resource_content_id`.
    let groupsWithContentID: Set<String>
    /// The version that the URL of each snapshot names: that of a change, or of all in a first sync; `nil` for none.
    let snapshotVersion: SnapshotVersion?

    /// The version that the URL of a snapshot names.
    package enum SnapshotVersion: Hashable, Sendable {
        /// That of the change which leads to it: the same for all clients that follow.
        case change
        /// That of the bound: clients accept no older one in a first sync.
        case bound
    }

    /// The body, as JSON: `{"sync":{…}}` with all five members.
    public var body: [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"sync\":{\"sync_until_sequence\":")
        writer.integer(bound)
        writer.raw(",\"has_more\":")
        writer.boolean(cursor != nil)
        writer.raw(",\"next_page_url\":")
        writer.string(cursor.map { "/api/v4/resources/sync?cursor=" + $0 })
        writer.raw(",\"next_sync_token\":")
        writer.string(token)
        writer.raw(",\"mutations\":[")
        for (index, change) in changes.enumerated() {
            if index > 0 { writer.raw(",") }
            write(change, to: &writer)
        }
        writer.raw("]}}")
        return writer.bytes
    }

    private func write(_ change: Origin.Change, to writer: inout JSONWriter) {
        let fields = Fields(change)
        writer.raw("{\"sequence\":")
        writer.integer(change.sequence)
        writer.raw(",\"type\":")
        writer.string(change.kind.name)
        writer.raw(",\"resource_group\":")
        writer.string(change.resource.group)
        writer.raw(",\"resource_id\":")
        writer.integer(change.resource.id)
        writer.raw(",\"resource_content_id\":")
        writer.integer(groupsWithContentID.contains(change.resource.group) ? change.resource.id : nil)
        writer.raw(",\"record_type\":")
        writer.string(fields.row?.type)
        writer.raw(",\"record_key\":")
        writer.string(fields.row?.key)
        writer.raw(",\"source_record_id\":")
        writer.integer(fields.row.flatMap { Int64($0.key) })
        writer.raw(",\"changed_at\":")
        writer.string(ChangeTime(milliseconds: change.changedAt).text)
        writer.raw(",\"data\":")
        if let body = fields.body { writer.raw(body) } else { writer.raw("null") }
        writer.raw(",\"snapshot_url\":")
        writer.string(fields.hasSnapshot ? snapshotPath(of: change) : nil)
        writer.raw(",\"unavailable_reason\":")
        writer.string(fields.reason)
        writer.raw("}")
    }

    private func snapshotPath(of change: Origin.Change) -> String {
        let path = "/api/v4/resources/snapshots/\(change.resource)"
        return switch snapshotVersion {
        case nil: path
        case .change: path + "?version=\(change.sequence)"
        case .bound: path + "?version=\(bound)"
        }
    }

    /// The values that only some changes have.
    private struct Fields {
        var row: Origin.RowKey?
        var body: [UInt8]?
        var hasSnapshot = false
        var reason: String?

        init(_ change: Origin.Change) {
            switch change.kind {
            case .rowCreate(let key, let body), .rowUpdate(let key, let body): (row, self.body) = (key, body)
            case .rowDelete(let key): row = key
            case .resourceCreate, .resourceInvalidate: hasSnapshot = true
            case .resourceDelete(let reason): self.reason = reason
            case .resourceUpdate: break
            }
        }
    }
}
