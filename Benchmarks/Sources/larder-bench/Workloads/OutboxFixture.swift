// OutboxFixture: a new store with an outbox whose server accepts everything at once.

import Foundation
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Synchronization

/// A new store with an outbox whose server accepts everything at once.
struct OutboxFixture: Sendable {
    let directory: ScratchDirectory
    let store: Store
    let outbox: Outbox
    let server = AcceptingServer()

    init(
        options: StoreOptions = StoreOptions(), elapsed: @escaping @Sendable () -> Duration = { sinceStart() }
    ) throws {
        directory = try ScratchDirectory()
        store = try openStore(at: directory.path("store"), options: options, elapsed: elapsed)
        var policy = OutboxPolicy()
        policy.bounds = OutboxBounds(entries: 1_000_000, byteCount: 4 << 30)
        outbox = Outbox(
            store: store, transport: server, configuration: OutboxConfiguration(base: "http://bench.test/api"),
            policy: policy, connectivity: SteadyConnectivity(.online))
    }

    /// A write of 200 bytes to one of 1,000 entities, with a key that prevents duplicates unless `isKeyed` is false.
    static func write(_ number: Int, isKeyed: Bool = true) -> OutboxWrite {
        let text = String(repeating: "t", count: 180)
        return OutboxWrite(
            "note.put", .put, "/notes/\(number % 1_000)", body: .bytes(Array("{\"text\":\"\(text)\"}".utf8)),
            entity: "note/\(number % 1_000)", deduplicationKey: isKeyed ? "key-\(number)" : nil)
    }

    /// Enqueues so many writes, 500 in each commit.
    func enqueue(_ count: Int) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            let writes = try (start..<min(start + 500, count)).map { try outbox.prepare(Self.write($0)) }
            try await store.write { transaction in for write in writes { try transaction.enqueue(write) } }
        }
    }
}

extension OutboxFixture {
    /// The key of a row, from 0 on.
    static func key(_ row: Int, in resource: ResourceKey) -> RowKey {
        RowKey(resource: resource, type: TranslationRows.type, key: String(row + 1))
    }

    /// Enqueues one write that patches these rows.
    func patch(_ resource: ResourceKey, _ rows: Range<Int>, layer: Int) async throws {
        let patch = Array("{\"language_name\":\"layer \(layer)\"}".utf8)
        var write = OutboxWrite("rows.patch", .patch, "/rows", body: .bytes(patch))
        write.effects = rows.map { RowEffect(.patch(patch), at: Self.key($0, in: resource)) }
        try await outbox.enqueue(write)
    }
}

/// A transport that accepts every request without looking at it, and counts them.
final class AcceptingServer: Transport {
    private let requests = Atomic(0)
    private let body: [UInt8]

    /// A server whose responses are JSON of so many bytes.
    init(bodySize: Int = 20) {
        body = Array("{\"text\":\"\(String(repeating: "t", count: bodySize - 11))\"}".utf8)
    }

    var requestCount: Int { requests.load(ordering: .relaxed) }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        requests.add(1, ordering: .relaxed)
        return TransportResponse(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=86400"],
            body: self.body)
    }
}
