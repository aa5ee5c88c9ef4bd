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
    /// The epoch of the versions that the URLs of snapshots name; `nil` where they name none.
    let versionEpoch: Int64?
    /// Whether the versions are those of the bound, as clients accept no older ones in a first sync.
    let isBootstrap: Bool

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
        guard let versionEpoch else { return path }
        // That of the change is the same for all clients that follow.
        let version = SnapshotVersion(sequence: isBootstrap ? bound : change.sequence, epoch: versionEpoch)
        return path + "?version=" + version.text
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

/// What a snapshot includes at least, as its URL names it: a change, in the epoch in which that has its number.
package struct SnapshotVersion: Hashable, Sendable {
    /// The number of the change.
    package let sequence: Int64
    /// The epoch; another one may have other changes under the same numbers.
    package let epoch: Int64

    /// Creates a version of these numbers.
    package init(sequence: Int64, epoch: Int64) {
        self.sequence = sequence
        self.epoch = epoch
    }

    /// Parses a text; returns `nil` for one that ``text`` did not make.
    package init?(_ text: String) {
        let numbers = text.split(separator: ".").compactMap { Int64($0) }
        guard numbers.count == 2 else { return nil }
        self.init(sequence: numbers[0], epoch: numbers[1])
        guard self.text == text else { return nil }
    }

    /// The version as URLs have it, such as `18.0`.
    package var text: String { "\(sequence).\(epoch)" }
}
