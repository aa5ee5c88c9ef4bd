/// A record of `outbox`: a write to be sent.
///
/// FORMAT.md, "outbox". Key: (lane, sequence). The sequence counts over all lanes. The state of its delivery is in an
/// ``OutboxDeliveryRecord``.
package struct OutboxRecord: TupleRecord, Hashable, Sendable {
    /// The request. Its lane is in the key only: it is empty where the record was read by itself.
    package var draft = OutboxDraft()
    /// The rows that its effect is applied to.
    package var rows: [RowKey] = []

    package init() {}

    /// The record of a request with an effect on rows.
    package init(_ draft: OutboxDraft, rows: [RowKey]) {
        self.draft = draft
        self.rows = rows
    }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.uuid(&draft.id)
        coder.integer(&draft.createdAt)
        coder.text(&draft.mutationType)
        coder.text(&draft.method)
        coder.text(&draft.endpoint)
        coder.bytes(&draft.payload)
        coder.text(&draft.account)
        coder.text(&draft.entity)
        coder.list(&draft.fields)
        var number = draft.blob?.number
        var byteCount = draft.blob?.byteCount ?? 0
        coder.count("blob", &number)
        coder.count("blobBytes", &byteCount)
        draft.blob = number.map { Blob(number: $0, byteCount: byteCount) }
        coder.list(&draft.after, of: .zero) { $0.uuid(&$1) }
        coder.list(&rows, of: RowKey(resource: ResourceKey("", 0), type: "", key: "")) { $0.row(&$1) }
        coder.text(&draft.deduplicationKey)
        coder.bits(&draft.fingerprint)
        coder.count("mostAttempts", &draft.mostAttempts)
        coder.uuid(&draft.predecessor)
        coder.bool(&draft.loadsAnswer)
    }

    /// Appends the key of an entry; the lane must fit ``Limits/lane``.
    package static func appendKey(
        lane: String, sequence: Int64, to buffer: inout KeyBuffer
    ) throws(FormatError) {
        try Limits.check(lane: lane)
        try buffer.append(text: lane)
        try buffer.append(integer: sequence)
    }

    /// The bytes that the key of every entry of a lane begins with.
    package static func prefix(lane: String) -> [UInt8] {
        TupleWriter.bytes { $0.append(text: lane) }
    }
}
