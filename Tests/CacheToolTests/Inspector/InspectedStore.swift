// InspectedStore: a store with something of everything, and an inspector over it.

import Foundation
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

/// A sample store that is open, and an inspector whose clock stands still.
struct InspectedStore {
    let sample: SampleStore
    let store: Store
    var inspector: Inspector

    static let now: Int64 = 1_767_225_700_000
    static let hostile = "<script>alert('x')</script>&\"\u{202E}"
    static let failed = UUIDBytes(high: 9, low: 1)
    static let sending = UUIDBytes(high: 9, low: 2)

    init(allowsChanges: Bool = false) async throws {
        sample = try await SampleStore()
        store = try sample.open()
        try await Self.fill(store)
        inspector = Inspector(
            store: store, path: sample.path, token: "secret", port: 8080, allowsChanges: allowsChanges,
            now: { Self.now }, timeZone: .gmt)
    }

    /// Adds a row whose texts are markup, a local change, and writes that failed and are being sent.
    private static func fill(_ store: Store) async throws {
        let notes = ResourceKey("notes", 1)
        let response = ResponseRecord(
            key: "https://hush.test/a.json", method: "GET", url: "https://hush.test/a.json", status: 200,
            fields: [.init(name: "Content-Type", value: bytes("application/json; charset=utf-8"))],
            requestedAt: now, receivedAt: now, storedAt: now)
        let body = try store.makeBlob()
        body.append(bytes("{\"by\":\"ada\",\"text\":\"\(hostile.replacing("\"", with: "\\\""))\"}").rawSpan)
        try await store.write { transaction in
            try transaction.putResponse(response, body: try body.finish(in: &transaction))
            try transaction.updateFilter("translations:19") { state in
                state.runs = [
                    RecordedRuns(beganAt: now - 7_200_000, endedAt: now - 3_600_000, count: 3),
                    RecordedRuns(beganAt: now - 1_800_000, endedAt: now - 1_700_000, rowsWritten: 303),
                    RecordedRuns(beganAt: now - 60_000, endedAt: now - 30_000, count: 2, error: "503 \(hostile)"),
                ]
            }
            try transaction.update(notes) { record in
                record.appliedSequence = 2
                record.changedAt = now - 1_000
            }
            try transaction.put(
                bytes("{\"text\":\"\(hostile.replacing("\"", with: "\\\""))\",\"by\":\"ada\"}").rawSpan,
                at: RowKey(resource: notes, type: hostile, key: hostile), updatedAt: now - 1_000)
            let row = RowKey(resource: SampleStore.verses, type: "translation", key: "7")
            try transaction.enqueue(
                OutboxDraft(
                    id: failed, lane: "verses", createdAt: now - 60_000, mutationType: "verse.edit", method: "PUT",
                    endpoint: "/verses/7", payload: bytes("{\"verse\":77}")),
                effects: [.init(.replacement(bytes("{\"verse\":77}")), at: row)])
            try change(failed, in: &transaction) { delivery in
                delivery.state = .failed
                delivery.lastError = "500 \(hostile)"
                delivery.attempts = 5
            }
            try transaction.enqueue(
                OutboxDraft(
                    id: sending, lane: "others", createdAt: now - 50_000, mutationType: "note.edit", method: "PUT",
                    endpoint: "/notes/1", payload: bytes("{}")))
            try change(sending, in: &transaction) { $0.state = .sending }
        }
    }

    private static func change(
        _ id: UUIDBytes, in transaction: inout Transaction, _ edit: (inout OutboxDelivery) -> Void
    ) throws {
        let entry = try #require(try transaction.outboxEntry(id))
        var delivery = entry.delivery
        edit(&delivery)
        try #require(try transaction.updateDelivery(of: id, from: entry.delivery, to: delivery))
    }

    func get(
        _ page: InspectorPage, _ values: [(String, String?)] = []
    ) -> InspectorResponse {
        get(String(InspectorLink(page, values).target.dropFirst(page == .overview ? 1 : 2)))
    }

    /// Requests a path below the token as a browser does.
    func get(_ path: String) -> InspectorResponse {
        inspector.respond(
            to: InspectorRequest(target: "/secret/\(path)", host: "127.0.0.1:8080", fetchSite: "same-origin"))
    }

    func post(_ path: String, _ id: UUIDBytes) -> InspectorResponse {
        inspector.respond(
            to: InspectorRequest(
                method: "POST", target: "/secret/\(path)", host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080",
                fetchSite: "same-origin", body: bytes("entry=\(id)")))
    }
}

extension InspectorResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
