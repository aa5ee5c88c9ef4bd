// Proves that the file of an object is streamed, stored with its class, confirmed, limited and removed with its object.

import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Logging
import Testing

@Suite struct `The file of an object` {
    private let image = ObjectFile(of: user(1), attribute: "image")
    private let path = "/User/1/image/content"

    private func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    /// §5.3.1.
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `is stored where its class is stored`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        world.server.set { $0.files[path] = content(1000) }
        let first = try await world.cache.file(image)
        #expect(first.storage.word == "kept")
        #expect(try await first.value.body.bytes() == content(1000))
        #expect(world.storeFiles.all.count == (place == .persistent ? 1 : 0))
        #expect(world.memoryFiles.all.count == (place == .memory ? 1 : 0))
        world.goOffline()
        let offline = try await world.cache.file(image)
        #expect(offline.origin == .cache)
        #expect(try await offline.value.body.bytes() == content(1000))
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `is streamed to storage and read from there, and leaves nothing when it is removed`(
        place: ObjectPersistence
    ) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [], hasRealFiles: true)
        let empty = try world.store.statistics().storedSize
        world.server.set { $0.files[path] = content(3_000_000) }
        world.network.plan(.rechunk(65_000), exchange: 0)
        #expect(try await world.cache.file(image).storage.word == "kept")
        #expect(try await world.cache.file(image).origin == .revalidated)
        world.goOffline()
        let offline = try await world.cache.file(image)
        #expect(offline.origin == .cache)
        #expect(try await offline.value.body.bytes() == content(3_000_000))
        #expect(try world.findings() == [])
        let isStored = try world.store.statistics().storedSize > 3_000_000
        #expect(isStored == (place == .persistent))
        try await world.cache.removeAllFromStorage(class: "User")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(image) }
        withExtendedLifetime(offline) {}
        try await world.store.reclaim()
        #expect(try world.store.statistics().storedSize - empty < 1000 || place == .persistent)
    }

    @Test func `is confirmed by a 304, its bytes untouched`() async throws {
        let world = try ObjectWorld()
        world.server.set { $0.files[path] = content(1000) }
        _ = try await world.cache.file(image)
        let again = try await world.cache.file(image)
        #expect(again.origin == .revalidated)
        #expect(world.memoryFiles.counts.writes == 1)
        #expect(world.memoryFiles.counts.refreshes == 1)
        world.server.set { $0.files[path] = content(900) }
        #expect(try await world.cache.file(image).value.body.bytes() == content(900))
    }

    /// §5.3.2, §5.3.4.
    @Test(arguments: [false, true])
    func `above the limit is delivered whole, not stored, and logged`(hidesLength: Bool) async throws {
        let world = try ObjectWorld(options: ObjectCacheOptions(fileLimit: 5000))
        world.server.set {
            $0.files[path] = content(5001)
            $0.hidesLength = hidesLength
        }
        world.network.plan(.rechunk(999), exchange: 0)
        let answer = try await world.cache.file(image)
        #expect(answer.storage.word == "too-large")
        #expect(try await answer.value.body.bytes() == content(5001))
        #expect(world.memoryFiles.all.isEmpty)
        #expect(world.log.messages(at: .error).count == 1)
        world.server.set { $0.files[path] = content(5000) }
        #expect(try await world.cache.file(image).storage.word == "kept")
    }

    /// §5.3.2.
    @Test func `has a limit of 15 MiB by default`() {
        #expect(ObjectCacheOptions().fileLimit == 15 << 20)
    }

    /// §5.3.3.
    @Test func `uploaded above the limit goes through with a connection, and is refused without`() async throws {
        let world = try ObjectWorld(options: ObjectCacheOptions(fileLimit: 5000))
        let outcome = try await world.cache.upload(content(5001), to: image)
        guard case .sent = outcome else {
            Issue.record("\(outcome)")
            return
        }
        world.goOffline()
        await #expect {
            try await world.cache.upload(content(5001), to: image)
        } throws: { error in
            guard case .uploadTooLarge(5001, 5000)? = error as? HTTPCacheError else { return false }
            return true
        }
        guard case .queued = try await world.cache.upload(content(5000), to: image) else {
            Issue.record("not queued")
            return
        }
        world.goOnline()
        #expect(try await world.cache.sendQueued().sent.count == 1)
        #expect(try await world.cache.file(image).value.body.bytes() == content(5000))
    }

    @Test func `whose body breaks off is not stored, and the stored file is given instead`() async throws {
        let world = try ObjectWorld()
        world.server.set { $0.files[path] = content(1000) }
        _ = try await world.cache.file(image)
        world.server.set { $0.files[path] = content(2000) }
        world.network.plan(.cut(after: 1500), exchange: 1)
        #expect(try await world.cache.file(image).value.body.bytes() == content(1000))
        world.network.plan(.truncate(after: 1500), exchange: 2)
        #expect(try await world.cache.file(image).value.body.bytes() == content(1000))
        #expect(try await world.cache.file(image).value.body.bytes() == content(2000))
    }

    @Test func `is as long as its chunks, and is no part of it`() async throws {
        let world = try ObjectWorld()
        let bytes = content(10)
        world.server.set { state in
            state.portal = {
                TransportResponse(
                    status: .ok, headers: [.transferEncoding: "chunked", .contentLength: "4"], body: bytes)
            }
        }
        #expect(try await world.cache.file(image).value.body.bytes() == bytes)
        world.server.set { state in
            state.portal = {
                TransportResponse(
                    status: .partialContent, headers: [.contentRange: "bytes 0-3/10"], body: Array(bytes.prefix(4)))
            }
        }
        #expect(try await world.cache.file(image).value.body.bytes() == bytes)
    }

    @Test func `is delivered though it cannot be stored`() async throws {
        let world = try ObjectWorld()
        world.server.set { $0.files[path] = content(1000) }
        world.memoryFiles.failAll()
        let answer = try await world.cache.file(image)
        #expect(answer.storage.word == "failed")
        #expect(try await answer.value.body.bytes() == content(1000))
    }

    @Test func `goes with its object, and with its class`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        let other = ObjectFile(of: user(11), attribute: "image")
        world.server.set {
            $0.files[path] = content(10)
            $0.files["/User/11/image/content"] = content(11)
        }
        _ = try await world.cache.file(image)
        _ = try await world.cache.file(other)
        try await world.cache.deleteFromStorage(user(1))
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(image) }
        #expect(try await world.cache.file(other).value.body.bytes() == content(11))
        try await world.cache.removeAllFromStorage(class: "User")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(other) }
    }

    @Test func `by strategy is fetched or not`() async throws {
        let world = try ObjectWorld()
        world.server.set { $0.files[path] = content(10) }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(image, strategy: .cacheOnly) }
        #expect(try await world.cache.file(image, strategy: .networkOnly).storage.word == "not-keeping")
        #expect(world.memoryFiles.all.isEmpty)
        _ = try await world.cache.file(image)
        world.server.set { $0.files[path] = content(20) }
        let old = try await world.cache.file(image, strategy: .cacheElseNetwork)
        #expect(try await old.value.body.bytes() == content(10))
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `is stored without the host's own secrets`(place: ObjectPersistence) async throws {
        let options = ObjectCacheOptions(credentialFields: CredentialFields(secret: ["X-Vendor"]))
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [], options: options)
        let name = try #require(HTTPField.Name("X-Vendor"))
        world.server.set { $0.files[path] = content(10) }
        world.network.plan(.header(name, "hush"), times: 9, where: { _ in true })
        #expect(try await world.cache.file(image).storage.word == "kept")
        #expect(try await world.cache.file(image).origin == .revalidated)
        #expect(try await world.cache.file(image, strategy: .cacheOnly).value.head.headerFields[name] == nil)
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `or an object is not replaced by an unrequested part`(place: ObjectPersistence) async throws {
        let world = try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
        world.server.set { $0.files[path] = content(10) }
        _ = try await world.cache.file(image)
        _ = try await world.cache.object(user(1))
        world.server.set { $0.files[path] = content(3) }
        world.server.put("User", "1", "5")
        world.network.plan(.status(.partialContent), times: 9, where: { _ in true })
        #expect(try await world.cache.file(image).value.body.bytes() == content(10))
        #expect(try await world.cache.object(user(1)).number == "1")
        await #expect(throws: HTTPCacheError.self) { try await world.cache.file(image, strategy: .networkOnly) }
    }
}
