// SampleStore: a store that the tests of verbs read.

import Foundation
import LarderFormat
import LarderStore
import Logging
import Testing

/// A store with records in every table but `indexes`, `overlay` and `garbage`.
struct SampleStore {
    let directory = TemporaryDirectory()

    var path: String { directory.path + "/store" }

    /// A sibling of the store.
    func sibling(_ name: String) -> String { directory.path + "/" + name }

    /// Makes and closes the store.
    init() async throws {
        let store = try Store.open(at: path, host: .test)
        try await Self.fill(store)
        try store.close()
    }

    static let verses = ResourceKey("translations", 19)

    static func fill(_ store: Store) async throws {
        let staging = try await store.beginStaging(verses)
        var batch = RowBatch(for: staging)
        for number in 1...300 {
            try batch.append(
                bytes("{\"verse\":\(number)}").rawSpan, type: "translation", key: String(number), updatedAt: 1_000)
        }
        try batch.append(bytes("{\"by\":\"é\\n\"}").rawSpan, type: "about", key: "intro\ttab", updatedAt: -1)
        try batch.append([0, 0xFF, 0x80].rawSpan, type: "raw", key: "a\0b", updatedAt: 5, codec: .application(16))
        try batch.append(
            [UInt8](repeating: 7, count: 20_000).rawSpan, type: "raw", key: "big", updatedAt: 6, codec: .opaque)
        try await store.stage(batch, in: staging)
        try await store.swap(staging) { transaction, record in
            record.appliedSequence = 4711
            record.snapshotPath = "/api/v4/snapshots/translations/19"
            record.syncedAt = 1_767_225_605_123
            let number = try transaction.updateFilter("translations:19") { $0.token = "c2VjcmV0" }
            try transaction.putMember(ofFilter: number, verses, MemberRecord(listedInRun: 1))
        }
        try await store.write { transaction in
            try transaction.update(ResourceKey("tafsirs", 3)) { $0.appliedSequence = 12 }
            for (number, lane) in ["notes", "notes", "bookmarks"].enumerated() {
                try transaction.enqueue(
                    OutboxDraft(
                        id: UUIDBytes(high: 1, low: UInt64(number)), lane: lane, createdAt: 1_767_225_606_000,
                        mutationType: "note.create", method: "POST", endpoint: "/api/v4/notes?secret=1",
                        payload: number == 1 ? [0xFF, 0] : bytes("{\"note\":\"hush\"}")))
            }
            let members = [7, 3, 7].map { RowKey(resource: verses, type: "translation", key: String($0)) }
            try transaction.putCollection(
                CollectionName(
                    class: "translation", query: "number < 8",
                    reference: .init(row: members[0], attribute: "neighbours")),
                rows: members + [RowKey(resource: ResourceKey("secrets", 9_999_199_991), type: "hush", key: "a")],
                home: verses, validators: Validators(entityTag: "\"1\""), fetchedAt: 1_767_225_606_500)
            try transaction.putSingleAnswer(
                at: members[1], validators: Validators(lastModified: "hush"), fetchedAt: 1_767_225_606_600)
            try transaction.removeEntry(
                UUIDBytes(high: 1, low: 0), outcome: "accepted", detail: "fine", at: 1_767_225_607_000)
        }
        try await store.write { transaction in
            var session = StoredSession(
                state: .expired, account: "hush", changedAt: 1_767_225_607_500, signedInAt: 1_767_225_600_000)
            session.setValue(bytes("secret workspace"), named: "workspace")
            session.addSecretName("token")
            try transaction.putSession(session)
            for number in 1...3 {
                try transaction.appendPoint(
                    bytes("{\"latitude\":\(number)}"),
                    to: BufferName("secret places", account: number == 3 ? nil : "hush"),
                    at: 1_767_225_608_000)
            }
        }
        try await storeResponse(in: store)
        try await store.reclaim()
    }

    /// A response whose body has two chunks, with two tags.
    private static func storeResponse(in store: Store) async throws {
        var response = ResponseRecord(
            key: "https://hush.test/", method: "GET", url: "https://hush.test/", status: 200,
            fields: [.init(name: "X-Odd", value: [0x68, 0xE9, 0])], requestedAt: 1, receivedAt: 2, storedAt: 3)
        response.selecting = [.init(name: "accept", value: "hush"), .init(name: "accept-language", value: nil)]
        response.part = ResponseRecord.Part(start: 0, end: 40_000, total: nil)
        response.setTags(["hush", "secret"])
        let writer = try store.makeBlob()
        writer.append([UInt8](repeating: 0x61, count: 39_000).rawSpan)
        writer.append([UInt8](repeating: 0xFF, count: 1_000).rawSpan)
        try await store.write { [response] transaction in
            try transaction.putResponse(response, body: try writer.finish(in: &transaction))
        }
    }

    /// Opens the store for writing.
    func open() throws -> Store { try Store.open(at: path, host: .test) }

    /// Changes one byte of a verse where it lies in the file.
    func damage(row: String) throws { try flip("{\"verse\":\(row)}", inStore: path) }
}

/// Changes one byte of a text wherever it lies in a store's file: pages that commits left behind may hold older copies.
func flip(_ text: String, inStore path: String) throws {
    let file = URL(fileURLWithPath: path + "/data.mdb")
    var content = try Data(contentsOf: file)
    var start = content.startIndex
    while let found = content.range(of: Data(text.utf8), in: start..<content.endIndex) {
        content[found.lowerBound + 2] ^= 1
        start = found.upperBound
    }
    #expect(start != content.startIndex)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: content)
    try handle.close()
}

extension HostServices {
    /// A host whose wall clock stands still.
    static let test = HostServices(
        now: { 1_767_225_600_000 }, elapsed: { start.duration(to: .now) },
        sleepUntil: { try await Task.sleep(until: start.advanced(by: $0), clock: .continuous) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        }, logger: Logger(label: "larder.test"))
}

private let start = ContinuousClock.now

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
