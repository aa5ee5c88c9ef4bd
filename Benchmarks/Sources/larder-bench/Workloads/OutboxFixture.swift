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

    init() throws {
        directory = try ScratchDirectory()
        store = try openStore(at: directory.path("store"))
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

/// A transport that accepts every request without looking at it, and counts them.
final class AcceptingServer: Transport {
    private let requests = Atomic(0)

    var requestCount: Int { requests.load(ordering: .relaxed) }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        requests.add(1, ordering: .relaxed)
        return TransportResponse(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=86400"],
            body: Array("{\"ok\":true}".utf8))
    }
}
