// LargeStore: a store of a million rows, with more of everything than a page shows.

import Foundation
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

/// A store whose lists have several pages each.
struct LargeStore {
    static let (resources, rowsPerResource) = (1_000, 1_000)
    static let group = "verses"
    static let responses = 300
    private static let (writes, collections, outcomes) = (700, 600, 400)

    let directory = TemporaryDirectory()
    let store: Store
    /// When it was filled, in milliseconds since 1970-01-01 UTC.
    let filledAt = Filters.now()

    var path: String { directory.path + "/store" }

    init() async throws {
        store = try Store.open(at: directory.path + "/store", host: .test)
        for number in 1...Self.resources { try await fill(ResourceKey(Self.group, Int64(number))) }
        try await addEmptyResources()
        try await addFilter()
        try await addWrites()
        try await addResponses()
        try await addCollections()
    }

    static func payload(_ row: Int) -> String { "{\"text\":\"the text of row \(row)\",\"verse\":\(row)}" }

    static func key(_ row: Int) -> String { String(100_000 + row) }

    private func fill(_ resource: ResourceKey) async throws {
        let staging = try await store.beginStaging(resource)
        var batch = RowBatch(for: staging)
        for row in 1...Self.rowsPerResource {
            try batch.append(
                bytes(Self.payload(row)).rawSpan, type: "verse", key: Self.key(row), updatedAt: filledAt - Int64(row))
        }
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { [filledAt] _, record in
            record.appliedSequence = 7
            record.syncedAt = filledAt
            record.changedAt = filledAt
        }
    }

    /// Resources that the server named and that are not there yet, so that lists of them have several pages.
    private func addEmptyResources() async throws {
        try await store.write { transaction in
            for number in 1...600 { try transaction.update(ResourceKey("pending", Int64(number))) { _ in } }
        }
    }

    private func addFilter() async throws {
        try await store.write { [filledAt] transaction in
            let number = try transaction.updateFilter("pending:*;verses:*") { state in
                state.token = "dG9rZW4"
                state.run = 1
                state.tokenUpdatedAt = filledAt
                state.lastUntilSequence = 7
                state.runs = [RecordedRuns(beganAt: filledAt - 1_000, endedAt: filledAt, rowsWritten: 1_000_000)]
            }
            let member = MemberRecord(listedInRun: 1, finishedInRun: 1)
            for resource in 1...Self.resources {
                try transaction.putMember(ofFilter: number, ResourceKey(Self.group, Int64(resource)), member)
            }
            for resource in 1...600 {
                try transaction.putMember(
                    ofFilter: number, ResourceKey("pending", Int64(resource)), MemberRecord(listedInRun: 1))
            }
        }
    }

    private func addWrites() async throws {
        try await store.write { [filledAt] transaction in
            for number in 1...(Self.writes + Self.outcomes) {
                let id = UUIDBytes(high: UInt64(number) << 32, low: 1)
                try transaction.enqueue(
                    OutboxDraft(
                        id: id, lane: "lane \(number % 7)", createdAt: filledAt, mutationType: "verse.edit",
                        method: "PUT",
                        endpoint: "/verses/\(number)", payload: bytes("{\"number\":\(number)}")))
                if number > Self.writes {
                    try transaction.removeEntry(id, outcome: "accepted", detail: "", at: filledAt)
                }
            }
        }
    }

    private func addResponses() async throws {
        for number in 1...Self.responses {
            let address = "https://hush.test/\(1_000 + number).json"
            var response = ResponseRecord(
                key: address, method: "GET", url: address, status: 200,
                fields: [.init(name: "Content-Type", value: bytes("application/json"))], requestedAt: filledAt,
                receivedAt: filledAt, storedAt: filledAt)
            // A tag is a record of its own, and no response.
            response.setTags(["front"])
            let body = try store.makeBlob()
            body.append(bytes("{\"response\":\(number)}").rawSpan)
            try await store.write { [response] transaction in
                try transaction.putResponse(response, body: try body.finish(in: &transaction))
            }
        }
    }

    private func addCollections() async throws {
        try await store.write { [filledAt] transaction in
            let home = ResourceKey(Self.group, 1)
            for number in 1...Self.collections {
                try transaction.putCollection(
                    CollectionName(class: "verse", query: "verse = \(1_000 + number)"),
                    rows: [RowKey(resource: home, type: "verse", key: Self.key(1))], home: home,
                    validators: Validators(entityTag: "\"1\""), fetchedAt: filledAt)
            }
        }
    }
}
