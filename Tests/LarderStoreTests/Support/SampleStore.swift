// SampleStore: fills a store with records in every table.

import LarderFormat
import LarderJSON
import LarderStore

/// The tables in which the sample has records.
let tablesOfSample: [TableName] = [
    .meta, .resources, .rows, .generations, .filters, .members, .outbox, .journal, .collections, .responses, .blobs,
    .indexes, .overlay, .buffers,
]

/// A small store with something in every table: ready, hidden and empty resources, a filter, an outbox, a journal.
func fillSample(_ store: Store) async throws {
    try await store.replace(translations, with: (1...3).map { (key($0), bytes("{\"n\":\($0)}")) })
    try await store.write { transaction in
        try transaction.put(bytes("intro"), at: key("intro"), updatedAt: -1, codec: .opaque)
        try transaction.put(bytes("note"), at: key(7, tafsirs), updatedAt: 5)
        try transaction.update(ResourceKey("tafsirs", 2)) { $0.appliedSequence = 4 }
        try transaction.put(bytes("gone"), at: key(1, ResourceKey("tafsirs", 3)), updatedAt: 5)
        try transaction.withdraw(ResourceKey("tafsirs", 3), at: ServerPosition(0, 9), as: .hidden)
        let filter = try transaction.updateFilter("translations:19") {
            $0.token = "token"
            $0.run = 1
        }
        try transaction.putMember(ofFilter: filter, translations, MemberRecord(listedInRun: 1, finishedInRun: 1))
        for number in 1...3 {
            try transaction.enqueue(draft(number, lane: number == 3 ? "b" : "a"))
        }
        try transaction.removeEntry(draft(1).id, outcome: "accepted", at: 8)
        try transaction.putCollection(
            sampleCollection, rows: [key(3), key(7, tafsirs), key(1)], home: translations,
            validators: Validators(entityTag: "\"1\""), fetchedAt: 9)
        try transaction.putCollection(
            CollectionName(class: "translation", query: "all"), rows: [key(1), key(9)], home: translations, fetchedAt: 9
        )
        try transaction.putSingleAnswer(at: key(2), validators: Validators(lastModified: "then"), fetchedAt: 9)
    }
    var sample = response("https://a.test/", language: "de")
    sample.setTags(["news", "start"])
    try await store.put(sample)
    try await store.put(response("https://a.test/", language: nil), body: [])
    try await store.declareIndex(sampleIndex)
    try await store.write { transaction in
        try transaction.applyOverlay(.replacement(bytes("{\"n\":0}")), at: key(2), updatedAt: 6, sequence: 2)
        try transaction.applyOverlay(.removal, at: key(3), updatedAt: 6)
        try transaction.applyOverlay(.replacement(bytes("{\"n\":9}")), at: key(4), updatedAt: 7, entryID: draft(3).id)
        try transaction.applyOverlay(
            .replacement(bytes("new"), codec: .opaque), at: key(1, ResourceKey("tafsirs", 2)), updatedAt: 8)
        let patch = try transaction.applyOverlay(.patch(bytes("{\"p\":1}")), at: key(2), updatedAt: 9)
        try transaction.applyOverlay(.patch(bytes("{\"p\":null}")), at: key(3), updatedAt: 9)
        try transaction.applyOverlay(.patch(bytes("{\"q\":[]}")), at: key(2), updatedAt: 9)
        try transaction.confirmOverlay(at: key(2), sequence: patch, serverSequence: 12)
    }
    try await store.write { transaction in
        var session = StoredSession(state: .expired, account: "ada", changedAt: 3, signedInAt: 2)
        session.setValue(bytes("de"), named: "locale")
        session.addSecretName("token")
        try transaction.putSession(session)
        for number in 1...4 {
            try transaction.appendPoint(bytes("{\"n\":\(number)}"), to: sampleBuffer, at: Int64(number), limit: 3)
        }
        try transaction.appendPoint(bytes("{}"), to: BufferName("locations"), at: 5)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 2...3, key: draft(9).id)
        upload.tries = 1
        _ = try transaction.updateUpload(of: sampleBuffer, from: BufferUpload(), to: upload)
    }
    try await store.reclaim()
}

let sampleBuffer = BufferName("locations", account: "ada")

let sampleIndex = IndexDefinition(
    name: "n", group: "translations", id: 19, type: "translation", path: JSONPath("$.n")!, collation: .nocase)

let sampleCollection = CollectionName(
    class: "translation", query: "n > 0", reference: .init(row: key("intro"), attribute: "parts"))

func draft(_ number: Int, lane: String = "a", id: UUIDBytes? = nil, after: [UUIDBytes] = []) -> OutboxDraft {
    var draft = OutboxDraft(
        id: id ?? UUIDBytes(high: 0x7d9c_1a52_3e64_4f0b, low: 0x9a8d_0000_0000_0000 | UInt64(number)), lane: lane,
        createdAt: Int64(number), mutationType: "note.create", method: "POST", endpoint: "/notes",
        payload: bytes("{\"number\":\(number)}"))
    draft.after = after
    return draft
}
