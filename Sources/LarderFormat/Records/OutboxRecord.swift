/// A record of `outbox`: the head of an entry, with everything that is needed before it is sent.
///
/// FORMAT.md, "outbox". Key: (lane, sequence). The sequence counts over all lanes.
package struct OutboxHeadRecord: TupleRecord, Hashable, Sendable {
    /// The request without its body and header fields. Only the key has its lane: it is empty where the record was read
    /// by itself.
    package var draft = OutboxDraft()
    /// The rows that its effect is applied to.
    package var rows: [RowKey] = []
    /// The length of its body.
    package var bodyBytes: Int64 = 0
    /// Whether a batch can represent the whole request.
    package var fitsBatch = false

    package init() {}

    /// The head of a request with an effect on rows.
    package init(_ draft: OutboxDraft, rows: [RowKey], bodyBytes: Int64, fitsBatch: Bool) {
        self.draft = draft
        self.rows = rows
        self.bodyBytes = bodyBytes
        self.fitsBatch = fitsBatch
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.uuid(&draft.id)
        coder.integer(&draft.createdAt)
        coder.text(&draft.mutationType)
        coder.text(&draft.method)
        coder.text(&draft.endpoint)
        coder.text(&draft.account)
        coder.text(&draft.entity)
        var number = draft.blob?.number
        coder.count("blob", &number)
        coder.count("bodyBytes", &bodyBytes)
        draft.blob = number.map { Blob(number: $0, byteCount: bodyBytes) }
        coder.list(&draft.after, of: .zero) { $0.uuid(&$1) }
        coder.list(&rows, of: RowKey(resource: ResourceKey("", 0), type: "", key: "")) { $0.row(&$1) }
        coder.text(&draft.deduplicationKey)
        coder.bits(&draft.fingerprint)
        coder.count("mostAttempts", &draft.mostAttempts)
        coder.uuid(&draft.predecessor)
        coder.bool(&draft.loadsResponse)
        coder.bool(&fitsBatch)
    }

    /// Returns the prefix of the keys of all heads of a lane.
    package static func prefix(lane: String) -> [UInt8] {
        TupleWriter.bytes { $0.append(text: lane) }
    }
}

/// A record of `outbox`: the content that an entry sends.
///
/// FORMAT.md, "outbox". Key: (sequence).
package struct OutboxBodyRecord: TupleRecord, Hashable, Sendable {
    /// The header fields.
    package var fields: [HeaderField] = []
    /// The body; empty where it is a blob.
    package var payload: [UInt8] = []
    /// The overlays that a rejected entry had over the rows of its head, in their order; a retry shows them again.
    package var withdrawn: [OverlayRecord] = []

    package init() {}

    /// Creates the record of a request's body and header fields.
    package init(_ draft: OutboxDraft) {
        fields = draft.fields
        payload = draft.payload
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.list(&fields)
        coder.bytes(&payload)
        coder.trailing(&withdrawn, of: OverlayRecord()) { $1.codeFields(&$0) }
    }
}

/// A record of `outbox`: the entries with one deduplication hash that are not rejected.
///
/// FORMAT.md, "outbox". Key: (null, hash), as ``OutboxDraft/deduplicationHash``. Entries with different keys have the
/// same hash by accident only.
package struct OutboxDeduplicationRecord: TupleRecord, Hashable, Sendable {
    /// The identities of the entries.
    package var entries: [UUIDBytes] = []

    package init() {}

    /// Creates a record of these entries.
    package init(_ entries: [UUIDBytes]) { self.entries = entries }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.list(&entries, of: .zero) { $0.uuid(&$1) }
    }
}

extension OutboxDraft {
    /// The XXH64 of account and deduplication key as a tuple; nil without a key.
    package var deduplicationHash: UInt64? {
        guard let deduplicationKey else { return nil }
        let key = TupleWriter.bytes { writer in
            if let account { writer.append(text: account) } else { writer.appendNull() }
            writer.append(text: deduplicationKey)
        }
        return key.rawSpan.xxh64(seed: 0)
    }
}
