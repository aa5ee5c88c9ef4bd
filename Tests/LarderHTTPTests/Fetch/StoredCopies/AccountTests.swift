// Proves that a response selected by credentials is stored by default, outlives them, and is never served to another account.
import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A response that credentials select` {
    private static func fetch(
        _ name: String, _ value: String, _ account: String? = nil
    ) throws -> FetchRequest {
        var fetchRequest = request("/a", [try #require(HTTPField.Name(name)): value])
        fetchRequest.account = account
        return fetchRequest
    }

    /// What the cache has for a request, without a server.
    private static func storedBody(_ world: StoredCopyWorld, _ request: FetchRequest) async -> String? {
        do { return try await FetchedText(world.cache.fetch(request, .cacheOnly)).body } catch { return nil }
    }

    @Test(arguments: CacheUnderTest.keeping, ["Authorization", "Cookie", "X-Auth-Token", "X-Api-Key"])
    func `is stored by default, and found by the same credentials alone`(
        under: CacheUnderTest, name: String
    ) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(place, json(StoredCopyWorld.good, "max-age=600", [.vary: name]))
        _ = try await FetchedText(world.cache.fetch(Self.fetch(name, "Bearer 1")))
        // Another cache over the same place stands for the next launch.
        let next = StoredCopyWorld(place, clock: world.clock, json(StoredCopyWorld.good, "max-age=600", [.vary: name]))
        #expect(await Self.storedBody(next, try Self.fetch(name, "Bearer 1")) == StoredCopyWorld.good)
        #expect(await Self.storedBody(next, try Self.fetch(name, "Bearer 2")) == nil)
        #expect(await Self.storedBody(next, request()) == nil)
    }

    @Test func `is found after a relaunch`() async throws {
        let directory = TemporaryDirectory()
        let fetchRequest = try Self.fetch("Authorization", "Bearer 1")
        let clock = VirtualClock()
        for number in 0..<2 {
            let store = try Store.open(at: directory.path + "/store", host: .still)
            let files = try FileCache(directory: directory.path + "/files", now: { 0 })
            for place in [StoreResponseCache(store: store), files] as [any ResponseCache] {
                let world = StoredCopyWorld(
                    place, clock: clock, json(StoredCopyWorld.good, "max-age=600", [.vary: "Authorization"]))
                if number == 0 { _ = try await FetchedText(world.cache.fetch(fetchRequest)) }
                #expect(await Self.storedBody(world, fetchRequest) == StoredCopyWorld.good)
            }
            #expect(try store.verify { _ in }.findings == 0)
            try store.close()
        }
    }

    @Test(arguments: CacheUnderTest.keeping, ["Authorization", "Cookie", "Accept"])
    func `is the account's, whatever its token, and no other's`(under: CacheUnderTest, vary: String) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(place, json("{\"ada\"}", "max-age=600", [.vary: vary]))
        let name = vary == "Cookie" ? vary : "Authorization"
        _ = try await FetchedText(world.cache.fetch(Self.fetch(name, "1", "ada")))
        #expect(await Self.storedBody(world, try Self.fetch(name, "2", "ada")) == "{\"ada\"}")
        #expect(try await place.entries(for: key()).count == 1)
        #expect(await Self.storedBody(world, try Self.fetch(name, "1", "bob")) == nil)
        #expect(await Self.storedBody(world, try Self.fetch(name, "1")) == nil)
        var anonymous = request()
        anonymous.account = "ada"
        if vary != "Accept" { #expect(await Self.storedBody(world, anonymous) == nil) }
        world.server.set(json("{\"bob\"}", "max-age=600", [.vary: vary]))
        #expect(try await FetchedText(world.cache.fetch(Self.fetch(name, "3", "bob"))).body == "{\"bob\"}")
        #expect(await Self.storedBody(world, try Self.fetch(name, "4", "ada")) == "{\"ada\"}")
        #expect(await Self.storedBody(world, try Self.fetch(name, "4", "bob")) == "{\"bob\"}")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `further down is the account's that the request names`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(place, json("{\"ada\"}", "max-age=600"))
        func accountRequest(_ account: String?) -> FetchRequest {
            var fetchRequest = request("/me")
            fetchRequest.account = account
            return fetchRequest
        }
        _ = try await FetchedText(world.cache.fetch(accountRequest("ada")))
        #expect(await Self.storedBody(world, accountRequest("bob")) == nil)
        #expect(await Self.storedBody(world, accountRequest(nil)) == nil)
        world.server.set(json("{\"bob\"}", "max-age=600"))
        #expect(try await FetchedText(world.cache.fetch(accountRequest("bob"))).body == "{\"bob\"}")
        #expect(await Self.storedBody(world, accountRequest("ada")) == "{\"ada\"}")
    }

    @Test func `is one account's also while it is under way`() async throws {
        let barrier = FetchBarrier()
        let bodies = Mutex(["first", "second"])
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            let body = bodies.withLock { $0.removeFirst() }
            await barrier.wait()
            return ok([.cacheControl: "max-age=60"], body)
        }
        let tasks = ["ada", "bob"].map { account in
            Task {
                var fetchRequest = request()
                fetchRequest.account = account
                return try await FetchedText(fixture.cache.fetch(fetchRequest)).body
            }
        }
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        barrier.open()
        var bodiesRead: Set<String> = []
        for task in tasks { bodiesRead.insert(try await task.value) }
        #expect(bodiesRead == ["first", "second"])
    }

    @Test func `leaves its secrets in no file`() async throws {
        let directory = TemporaryDirectory()
        let secret = "hush-\(UUID().uuidString)"
        let names = [
            "Authorization", "X-Auth-Token", "X-Api-Key", "X-CSRF-Token", "X-Amz-Security-Token", "X-Vendor",
        ]
        var built: HTTPFields = [.vary: names.joined(separator: ", ")]
        for name in names { built[try #require(HTTPField.Name(name))] = secret }
        let fields = built
        do {
            let store = try Store.open(at: directory.path + "/store", host: .still)
            let files = try FileCache(directory: directory.path + "/files", now: { 0 })
            for place in [StoreResponseCache(store: store), files] as [any ResponseCache] {
                let world = StoredCopyWorld(
                    place, policy: CachePolicy(credentialFields: CredentialFields(secret: ["X-Vendor"])),
                    json(StoredCopyWorld.good, "max-age=600", fields))
                let fetchRequest = request("/a", fields)
                let got = try await FetchedText(world.cache.fetch(fetchRequest))
                #expect(got.fetched.storage.word == "stored")
                #expect(await Self.storedBody(world, fetchRequest) == StoredCopyWorld.good)
                let stored = try await place.entries(for: key())
                for name in names { #expect(stored.first?.response.fields[try #require(HTTPField.Name(name))] == nil) }
            }
            try store.close()
        }
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name)) else { continue }
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test func `stores the fields that only look like secrets, and those that the host exempts`() async throws {
        let directory = TemporaryDirectory()
        let exempt = CredentialFields(plain: ["X-Part-Key"])
        var options = StoreOptions()
        options.credentialFields = exempt
        let store = try Store.open(at: directory.path + "/store", options: options, host: .still)
        let files = try FileCache(directory: directory.path + "/files", credentialFields: exempt, now: { 0 })
        var built: HTTPFields = [:]
        for name in ["X-NextPageToken", "X-Max-Tokens", "X-Part-Key"] {
            built[try #require(HTTPField.Name(name))] = "7"
        }
        let fields = built
        for place in [StoreResponseCache(store: store), files, MemoryResponseCache()] as [any ResponseCache] {
            let world = StoredCopyWorld(
                place, policy: CachePolicy(credentialFields: exempt), json(StoredCopyWorld.good, "max-age=60", fields))
            _ = try await world.value()
            world.clock.advance(by: .seconds(100))
            // A confirmation does not lose them.
            world.server.set(TransportResponse(status: .notModified, headers: [:]))
            _ = try await world.value()
            let stored = try await place.entries(for: key()).first
            for name in fields.map(\.name) { #expect(stored?.response.fields[name] == "7", "\(name)") }
        }
        try store.close()
    }
}
