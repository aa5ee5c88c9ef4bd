import LarderFormat
import LarderStore

/// Formats entries of the outbox.
struct EntryDisplay {
    let redactor: Redactor

    /// Returns the position of the entry and the progress of its delivery.
    func columns(_ entry: OutboxEntry) -> [String] {
        let delivery = entry.delivery
        return [
            redactor.text(entry.lane), "\(entry.sequence)", entry.id.description, timeText(entry.createdAt),
            entry.mutationType, entry.method, redactor.text(entry.endpoint), "\(entry.bodyBytes)",
            "\(delivery.state)", "\(delivery.tries)", timeText(delivery.dueAt),
            delivery.lastError.map { redactor.text($0) } ?? "-",
        ]
    }

    /// Returns the same as JSON, with the payload and the reason of its wait.
    func json(_ entry: OutboxEntry, why: String) -> JSON {
        .object(summary(entry) + [JSON.Member(name: "why", value: .string(why)), redactor.payload(entry.payload)])
    }

    /// Returns all members of the entry, with the payload if `hasPayload`.
    func fullJSON(_ entry: OutboxEntry, hasPayload: Bool = true) -> JSON {
        let draft = entry.draft
        let blob = draft.blob.map { blob -> JSON in
            ["number": .integer(blob.number), "bytes": .integer(blob.byteCount)]
        }
        let members: [JSON.Member] = [
            JSON.Member(name: "account", value: redactor.json(draft.account)),
            JSON.Member(name: "entity", value: redactor.json(draft.entity)),
            JSON.Member(name: "fields", value: .array(draft.fields.map(field))),
            JSON.Member(name: "blob", value: blob ?? .null),
            JSON.Member(name: "after", value: .array(draft.after.map { .string($0.description) })),
            JSON.Member(name: "rows", value: .array(entry.rows.map(row))),
            JSON.Member(name: "deduplicationKey", value: redactor.json(draft.deduplicationKey)),
            JSON.Member(name: "mostAttempts", value: .count(draft.mostAttempts)),
            JSON.Member(name: "predecessor", value: .optional(draft.predecessor?.description)),
            JSON.Member(name: "loadsAnswer", value: .bool(draft.loadsResponse)),
            JSON.Member(name: "firstTriedAt", value: .optional(entry.delivery.firstTriedAt)),
            JSON.Member(name: "lastTriedAt", value: .optional(entry.delivery.lastTriedAt)),
            JSON.Member(name: "batch", value: .optional(entry.delivery.batch?.description)),
        ]
        return .object(summary(entry) + members + (hasPayload ? [redactor.payload(entry.payload)] : []))
    }

    private func summary(_ entry: OutboxEntry) -> [JSON.Member] {
        let delivery = entry.delivery
        return [
            JSON.Member(name: "lane", value: redactor.json(entry.lane)),
            JSON.Member(name: "sequence", value: .integer(entry.sequence)),
            JSON.Member(name: "entry", value: .string(entry.id.description)),
            JSON.Member(name: "createdAt", value: .integer(entry.createdAt)),
            JSON.Member(name: "mutationType", value: .string(entry.mutationType)),
            JSON.Member(name: "method", value: .string(entry.method)),
            JSON.Member(name: "endpoint", value: redactor.json(entry.endpoint)),
            JSON.Member(name: "state", value: .string("\(delivery.state)")),
            JSON.Member(name: "tries", value: .count(delivery.tries)),
            JSON.Member(name: "attempts", value: .count(delivery.attempts)),
            JSON.Member(name: "inDoubt", value: .bool(delivery.isInDoubt)),
            JSON.Member(name: "dueAt", value: .optional(delivery.dueAt)),
            JSON.Member(name: "lastStatus", value: .optional(delivery.lastStatus.map { Int64($0) })),
            JSON.Member(name: "lastError", value: redactor.json(delivery.lastError)),
            JSON.Member(name: "size", value: .integer(entry.bodyBytes)),
        ]
    }

    private func field(_ field: HeaderField) -> JSON {
        let value = redactor.payload(field.value)
        return .object([
            JSON.Member(name: "name", value: .string(field.name)),
            value.name == "base64" ? value : JSON.Member(name: "value", value: value.value),
        ])
    }

    private func row(_ row: RowKey) -> JSON {
        [
            "group": redactor.json(row.resource.group), "id": redactor.json(row.resource.id),
            "type": redactor.json(row.type), "key": redactor.json(row.key),
        ]
    }
}

extension OutboxDelivery.State {
    /// Whether the entry is a dead letter: failed or rejected. A failed one may be retried automatically, a rejected
    /// one is not.
    var isDeadLetter: Bool { !isPending }
}
