internal import HTTPTypes
internal import LarderFormat
package import LarderStore

/// A write that the server has, whose answer is to become the row and brought none: a GET has to.
package struct UnloadedAnswer: Hashable, Sendable {
    /// The entry; it is gone.
    package let entry: OutboxEntry
    /// The row.
    let row: RowKey
    /// What the write made of it: what the GET brings counts only while nobody has changed that.
    let shown: [UInt8]
    /// The server's sequence of the write, where it reported one.
    let sequence: Int64?
    /// Where the server says that it has created what was asked for.
    let location: String?
}

extension Transaction {
    /// Has an overlay show what the answer brought, before it is confirmed: as that it then becomes the row, or stays until the
    /// server's rows show the write.
    ///
    /// - Returns: false when there is something to load, and this is not it.
    mutating func load(
        _ answer: AcceptedAnswer?, of entry: OutboxEntry, _ loading: AnswerLoading, at now: Int64
    ) throws -> Bool {
        guard entry.draft.loadsAnswer, let row = entry.rows.first, !entry.isRemoval else { return true }
        guard let body = answer?.body, let loaded = loading.row(entry, body) else { return false }
        do {
            try changeOverlay(
                at: row, sequence: entry.sequence, to: .replacement(loaded.payload, codec: loaded.codec),
                updatedAt: loaded.updatedAt ?? now)
        } catch StoreError.damaged {
            // Nothing over a row keeps the server's word on the write from being taken.
        }
        return true
    }

    /// What is to be asked for of an entry that was just accepted.
    borrowing func unloadedAnswer(of entry: OutboxEntry, _ answer: AcceptedAnswer?) throws -> UnloadedAnswer? {
        guard let row = entry.rows.first, let shown = try madeRow(by: entry, at: row) else { return nil }
        let location = answer?.head?.status == .created ? answer?.head?.headerFields[.location] : nil
        return UnloadedAnswer(entry: entry, row: row, shown: shown, sequence: answer?.sequence, location: location)
    }

    /// Makes what a GET brought the row, unless the row has changed since the write, or a lagging replica answered.
    ///
    /// - Parameter sequence: the server's sequence of what the GET brought, where it reported one.
    /// - Returns: false when it came too late, or is older than the write.
    /// - Throws: what the store throws.
    package mutating func load(
        _ loaded: AnswerLoading.LoadedRow, sequence: Int64? = nil, for answer: UnloadedAnswer, at now: Int64
    ) throws -> Bool {
        let (row, entry) = (answer.row, answer.entry)
        if let written = answer.sequence, let sequence, sequence < written { return false }
        guard try madeRow(by: entry, at: row) == answer.shown else { return false }
        let updatedAt = loaded.updatedAt ?? now
        if let overlay = try overlay(at: row, sequence: entry.sequence) {
            try changeOverlay(
                at: row, sequence: entry.sequence, to: .replacement(loaded.payload, codec: loaded.codec),
                updatedAt: updatedAt)
            try confirmOverlay(
                at: row, sequence: entry.sequence, timeline: overlay.timeline,
                // Until the feed is there, the row beneath lacks what the GET has brought.
                serverSequence: overlay.serverSequence.map { max($0, sequence ?? $0) }, acceptance: overlay.acceptance)
        } else {
            try put(loaded.payload, at: row, updatedAt: updatedAt, codec: loaded.codec)
        }
        return true
    }

    /// What a write makes of a row, as long as that is shown for its sake: as its overlay, or as the row it has become. Nil also
    /// where that is damaged.
    private borrowing func madeRow(by entry: OutboxEntry, at row: RowKey) throws -> [UInt8]? {
        do {
            if let overlay = try overlay(at: row, sequence: entry.sequence) { return overlay.payload }
            // A row that is kept in step by sync is brought by it.
            guard try !isMember(row.resource), let held = try serverRow(at: row) else { return nil }
            return [UInt8](copying: held.payload)
        } catch StoreError.damaged {
            return nil
        }
    }
}

extension OutboxEntry {
    /// Whether it removes what it is about.
    var isRemoval: Bool { method.uppercased() == "DELETE" }
}
