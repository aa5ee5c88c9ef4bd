import LarderFormat
import LarderStore

/// The content of a small store with records in most tables.
enum SampleContent {
    static let resource = ResourceKey("verses", 1)
    static let rows: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (1...40).map { ("\($0)", text("{\"n\":\($0),\"text\":\"verse \($0)\"}")) })
    static let writes: [UUIDBytes] = (1...3).map { UUIDBytes(high: 0x4000, low: UInt64($0)) }

    static func key(_ name: String) -> RowKey { RowKey(resource: resource, type: "verse", key: name) }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The payload of each write.
    static func payload(ofWrite number: Int) -> [UInt8] { text("{\"number\":\(number)}") }

    /// Fills a new store, in several commits.
    static func fill(_ store: Store) throws {
        let staging = try store.beginStagingBlocking(resource)
        var batch = RowBatch(for: staging)
        for (key, payload) in rows.sorted(by: { $0.key < $1.key }) {
            try batch.append(payload.rawSpan, type: "verse", key: key, updatedAt: 1)
        }
        try store.stageBlocking(batch, in: staging)
        try store.swapBlocking(staging) { transaction, record in
            record.appliedSequence = 4
            let filter = try transaction.updateFilter("verses:1") { $0.token = "token" }
            try transaction.putMember(ofFilter: filter, resource, MemberRecord(listedInRun: 1, finishedInRun: 1))
        }
        try store.writeBlocking { transaction in
            let note = RowKey(resource: ResourceKey("notes", 2), type: "note", key: "a")
            try transaction.put(text("other"), at: note, updatedAt: 5, codec: .opaque)
            for (index, id) in writes.enumerated() {
                let draft = OutboxDraft(
                    id: id, lane: "lane", createdAt: 1, mutationType: "note.create", method: "POST",
                    endpoint: "/notes", payload: payload(ofWrite: index + 1))
                try transaction.enqueue(draft)
            }
            let name = CollectionName(class: "verse", query: "n > 0")
            try transaction.putCollection(name, rows: [key("3"), key("1")], home: resource, fetchedAt: 9)
            try transaction.appendPoint(text("{}"), to: BufferName("locations"), at: 5)
        }
        try store.writeBlocking { transaction in
            var session = StoredSession(state: .signedIn, account: "ada", changedAt: 3, signedInAt: 2)
            session.setValue(text("de"), named: "locale")
            try transaction.putSession(session)
            try transaction.completeEntry(writes[0], at: 8)
        }
    }
}
