internal import HTTPTypes
internal import LarderFormat
internal import LarderStore

/// The resolution of a conflict, ready to be stored.
struct PreparedResolution: Sendable {
    var conflict: Conflict
    var resolution: ConflictResolution
    /// The name of the policy that decided.
    var policy: String
    /// The identity of the entry that replaces the old one.
    var successor: UUIDBytes
    var time: Int64

    /// The body to send, where it is another.
    var body: [UInt8]? {
        if case .send(let body, _) = resolution { body } else { nil }
    }

    /// The row to show, likewise.
    var shown: [UInt8]? {
        if case .send(let body, let shown) = resolution { shown ?? body } else { nil }
    }

    /// The record for the journal.
    var record: ResolvedConflict {
        let (entry, draft) = (conflict.entry, conflict.entry.draft)
        let word =
            switch resolution {
            case .keepRemote: "remote"
            case .keepLocal: "local"
            case .send: "merged"
            case .deferToHost: "host"
            }
        var record = ResolvedConflict(
            time: time, entryID: entry.id, status: Int64(conflict.status), policy: policy, resolution: word,
            lane: entry.lane, mutationType: entry.mutationType, method: entry.method, endpoint: entry.endpoint,
            createdAt: entry.createdAt)
        record.row = conflict.row
        if resolution != .keepRemote { record.successor = successor }
        record.account = draft.account
        record.entity = draft.entity
        record.contentType = draft.fields.first { $0.name.lowercased() == "content-type" }
            .map { String(decoding: $0.value, as: UTF8.self) }
        record.base = .init(conflict.base?.payload)
        // The content of a blob is not read.
        record.local = draft.blob.map { .omitted($0.byteCount) } ?? .init(draft.payload.isEmpty ? nil : draft.payload)
        record.shown = conflict.row == nil ? .none : .init(conflict.local.payload)
        record.remote = .init(conflict.remote?.payload)
        record.merged = .init(body)
        record.entityTag = conflict.remote?.entityTag
        return record
    }

    /// Returns the entry to send in place of the old one.
    func draft() -> OutboxDraft {
        var draft = conflict.entry.draft
        draft.id = successor
        if let body {
            draft.payload = body
            draft.blob = nil
            if draft.method.uppercased() == HTTPRequest.Method.delete.rawValue {
                draft.method = HTTPRequest.Method.put.rawValue
            }
        }
        draft.fields.removeAll { Self.conditions.contains($0.name.lowercased()) }
        // A weak tag never matches (RFC 9110 §13.1.1).
        if let tag = conflict.remote?.entityTag, !tag.hasPrefix("W/") {
            draft.fields.append(HeaderField(name: "If-Match", value: Array(tag.utf8)))
        }
        // Without another body it is still the same write, and a blob is not read.
        if body != nil { draft.fingerprint = draft.contentFingerprint() }
        return draft
    }

    private static let conditions: Set<String> = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    ]
}

extension Transaction {
    /// Records a resolution in the journal, and makes the server's version the row of a resource that no filter syncs
    /// or has synced.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` when the entry is not in
    ///   conflict any more; ``StoreError``, `EngineError`.
    mutating func recordResolution(_ prepared: PreparedResolution) throws {
        let id = prepared.conflict.entryID
        guard let entry = try outboxEntry(id) else { throw OutboxError.unknownEntry(id) }
        guard entry.delivery.state == .conflicted else {
            throw OutboxError.notApplicable(id, entry.delivery.state)
        }
        try journalConflict(prepared.record)
        guard let row = prepared.conflict.row, let remote = prepared.conflict.remote else { return }
        // Sync delivers the rows of a filter in its own order; out of that order, readers would see an older state
        // again. A withdrawn resource must not return with one row.
        guard try isLocalOnly(row.resource) else { return }
        if let payload = remote.payload {
            try put(payload, at: row, updatedAt: remote.updatedAt ?? prepared.time)
        } else {
            try removeRow(at: row)
        }
    }

    /// Replaces the entry in conflict by the one to send.
    mutating func replaceConflicted(_ prepared: PreparedResolution) throws -> OutboxEntry {
        let old = prepared.conflict.entry
        var effects: [RowEffect] = []
        for (index, row) in old.rows.enumerated() {
            if index == 0, let shown = prepared.shown {
                effects.append(RowEffect(.replacement(shown), at: row))
            } else if let overlay = try overlays(at: row).last(where: { $0.sequence == old.sequence }) {
                effects.append(RowEffect(overlay.change, at: row))
            }
        }
        try recordResolution(prepared)
        return try replaceEntry(
            old.id, with: prepared.draft(), effects: effects, outcome: PreparedResolution.outcome,
            detail: "\(prepared.policy): \(prepared.record.resolution)", at: prepared.time)
    }
}

extension PreparedResolution {
    /// The outcome of an entry whose conflict is resolved.
    static let outcome = "resolved"
}
