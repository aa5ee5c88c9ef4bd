internal import HTTPTypes
internal import LarderFormat
package import LarderStore

/// A write that the server has, whose response was to become the row and contained none. A GET has to load the row.
package struct UnloadedRow: Hashable, Sendable {
    /// The entry, which is no longer in the outbox.
    package let entry: OutboxEntry
    /// The row.
    let row: RowKey
    /// The row's payload after the write. The result of the GET counts only while this payload is unchanged.
    let shown: [UInt8]
    /// The server's sequence of the write, where it reported one.
    let sequence: Int64?
    /// The Location header of a 201 response: the resource that the server created.
    let location: String?
}

extension Transaction {
    /// Puts the row of the response into the overlay, before the overlay is confirmed. With this content it then
    /// becomes the row, or stays until the server's rows contain the write.
    ///
    /// - Returns: false when a row has to be loaded, and the response does not contain it.
    /// - Throws: `StoreError.invalid` for a row beyond the limits; `EngineError`.
    mutating func load(
        _ answer: AcceptedResponse?, of entry: OutboxEntry, _ loading: ResponseLoading, at now: Int64
    ) throws -> Bool {
        guard entry.draft.loadsResponse, let row = entry.rows.first, !entry.isRemoval else { return true }
        guard let body = answer?.body, let loaded = loading.row(entry, body) else { return false }
        do {
            try changeOverlay(
                at: row, sequence: entry.sequence, to: .replacement(loaded.payload, codec: loaded.codec),
                updatedAt: loaded.updatedAt ?? now)
        } catch StoreError.damaged {
            // A damaged overlay must not prevent the acceptance of the write.
        }
        return true
    }

    /// Returns the row to load for an entry that was just accepted; nil when the write is no longer shown in it.
    borrowing func unloadedRow(of entry: OutboxEntry, _ answer: AcceptedResponse?) throws -> UnloadedRow? {
        guard let row = entry.rows.first, let shown = try writtenRow(by: entry, at: row) else { return nil }
        let location = answer?.head?.status == .created ? answer?.head?.headerFields[.location] : nil
        return UnloadedRow(entry: entry, row: row, shown: shown, sequence: answer?.sequence, location: location)
    }

    /// Stores the result of a GET as the row, unless the row has changed since the write, or a lagging replica
    /// responded.
    ///
    /// - Parameter sequence: the server's sequence of the result, where it reported one.
    /// - Returns: false when the result came too late, or is older than the write.
    /// - Throws: `StoreError.invalid` for a row beyond the limits; `StoreError.damaged`; `EngineError`.
    package mutating func load(
        _ loaded: ResponseLoading.LoadedRow, sequence: Int64? = nil, for answer: UnloadedRow, at now: Int64
    ) throws -> Bool {
        let (row, entry) = (answer.row, answer.entry)
        if let written = answer.sequence, let sequence, sequence < written { return false }
        guard try writtenRow(by: entry, at: row) == answer.shown else { return false }
        let updatedAt = loaded.updatedAt ?? now
        if let overlay = try overlay(at: row, sequence: entry.sequence) {
            try changeOverlay(
                at: row, sequence: entry.sequence, to: .replacement(loaded.payload, codec: loaded.codec),
                updatedAt: updatedAt)
            try confirmOverlay(
                at: row, sequence: entry.sequence, timeline: overlay.timeline,
                // The row beneath lacks the GET's result until sync has applied its sequence.
                serverSequence: overlay.serverSequence.map { max($0, sequence ?? $0) }, acceptance: overlay.acceptance)
        } else {
            try put(loaded.payload, at: row, updatedAt: updatedAt, codec: loaded.codec)
        }
        return true
    }

    /// Returns the payload that a write gives a row, as long as it is shown: as the write's overlay, or as the row it
    /// has become. Nil also where that is damaged.
    private borrowing func writtenRow(by entry: OutboxEntry, at row: RowKey) throws -> [UInt8]? {
        do {
            if let overlay = try overlay(at: row, sequence: entry.sequence) { return overlay.payload }
            // Sync itself loads a row of a resource that it keeps up to date.
            guard try !isMember(row.resource), let held = try serverRow(at: row) else { return nil }
            return [UInt8](copying: held.payload)
        } catch StoreError.damaged {
            return nil
        }
    }
}

extension OutboxEntry {
    /// Whether the write removes its object.
    var isRemoval: Bool { method.uppercased() == "DELETE" }
}
