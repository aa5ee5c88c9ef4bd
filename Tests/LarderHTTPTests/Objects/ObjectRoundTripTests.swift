// Proves that objects are fetched, confirmed, saved and served offline over real transports.

#if Server
import Foundation
import HTTPOrigin
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.serialized) struct `Through a real transport, objects` {
    private func cache(_ transport: RealTransport, _ store: Store, at address: String) throws -> ObjectCache {
        let outbox = Outbox(
            store: store, transport: transport.make(),
            configuration: OutboxConfiguration(base: try #require(BaseURL(address))),
            connectivity: ScriptedConnectivity(.online))
        return ObjectCache(
            service: ModelService(authority: String(address.trimmingPrefix("http://"))), transport: transport.make(),
            persistent: .store(store, writes: OutboxWriteQueue(outbox)),
            classes: [ObjectClass("User", persistence: .persistent)],
            host: .virtual(VirtualClock()))
    }

    @Test(arguments: RealTransport.allCases)
    func `are fetched, confirmed, and found when the server is gone`(_ transport: RealTransport) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/larder-objects-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try Store.open(at: path, host: .virtual(VirtualClock()))
        let origin = HTTPOrigin()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let image = ObjectFile(of: user(1), attribute: "image")
        origin["/User"] = OriginPage("1\t10\n2\t20", etag: "\"v1\"")
        origin["/User/1"] = OriginPage("1\t11", lastModified: "Sun, 01 Mar 2026 00:00:00 GMT")
        origin["/User/1/image/content"] = OriginPage(content, etag: "\"i1\"")
        let offline = try await origin.serve { address in
            let served = try self.cache(transport, store, at: address)
            #expect(try await served.collection(allUsers).numbers == ["10", "20"])
            #expect(try await served.collection(allUsers).origin == .revalidated)
            let one = try await served.object(user(1))
            #expect(one.number == "11")
            #expect(one.value.updatedAt == 1_772_323_200_000)
            #expect(try await served.object(user(1)).origin == .revalidated)
            #expect(try await served.file(image).storage.word == "kept")
            #expect(try await served.file(image).origin == .revalidated)
            return served
        }
        // The port is closed now.
        let list = try await offline.collection(allUsers)
        #expect(list.reuse.word == "unreachable")
        #expect(list.numbers == ["11", "20"])
        #expect(try await offline.file(image).value.body.bytes() == content)
        guard case .queued = try await offline.save(user(2), payload: Array("21".utf8)) else {
            Issue.record("it was not queued")
            return
        }
        #expect(try await offline.collection(allUsers).numbers == ["11", "21"])
        try store.close()
    }

    @Test(arguments: RealTransport.allCases)
    func `saved by the network only arrive behind what waits in the outbox`(_ transport: RealTransport) async throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path + "/store", host: .still)
        let origin = HTTPOrigin()
        origin["/User/1"] = OriginPage("")
        origin["/User/1"]?.fault = .status(503)
        try await origin.serve { address in
            let outbox = Outbox(
                store: store, transport: transport.make(),
                configuration: OutboxConfiguration(base: try #require(BaseURL(address))),
                connectivity: ScriptedConnectivity(.online))
            let cache = ObjectCache(
                service: ModelService(authority: String(address.trimmingPrefix("http://"))),
                transport: transport.make(), persistent: .store(store, writes: OutboxWriteQueue(outbox)),
                classes: [ObjectClass("User", persistence: .persistent)], host: .still)
            try await cache.save(user(1), payload: Array("10".utf8), strategy: .cacheOnly)
            let run = Task { try await outbox.run() }
            // It waits for its next attempt.
            let refused = store.values(in: .outbox) { view in
                try view.outboxEntries().contains { $0.delivery.state == .waiting }
            }
            for try await isRefused in refused where isRefused { break }
            origin["/User/1"] = OriginPage("")
            guard case .sent = try await cache.save(user(1), payload: Array("11".utf8), strategy: .networkOnly) else {
                Issue.record("it was not sent")
                return
            }
            #expect(try store.read { view in try view.outboxEntries() }.isEmpty)
            run.cancel()
            _ = await run.result
        }
        let keys = origin.requests.filter { $0.method == "PUT" }.map { $0["x-idempotency-key"] }
        #expect(keys.count >= 3)
        #expect(Set(keys.dropLast()).count == 1 && keys.first != keys.last)
        try store.close()
    }
}
#endif
