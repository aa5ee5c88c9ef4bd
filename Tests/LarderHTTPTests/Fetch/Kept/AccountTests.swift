// Proves that what credentials select is stored by default, outlives them, and is never another account's.
import Foundation
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A response that credentials select` {
    private static func ask(
        _ name: String, _ value: String, _ account: String? = nil
    ) throws -> FetchRequest {
        var asked = request("/a", [try #require(HTTPField.Name(name)): value])
        asked.account = account
        return asked
    }

    /// What the cache has for a request, without a server.
    private static func kept(_ world: KeptWorld, _ asked: FetchRequest) async -> String? {
        do { return try await Got(world.cache.fetch(asked, .cacheOnly)).body } catch { return nil }
    }

    @Test(arguments: CacheUnderTest.keeping, ["Authorization", "Cookie", "X-Auth-Token", "X-Api-Key"])
    func `is stored by default, and found by the same credentials alone`(
        under: CacheUnderTest, name: String
    ) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = KeptWorld(place, json(KeptWorld.good, "max-age=600", [.vary: name]))
        _ = try await Got(world.cache.fetch(Self.ask(name, "Bearer 1")))
        // Another cache over the same place stands for the next launch.
        let next = KeptWorld(place, clock: world.clock, json(KeptWorld.good, "max-age=600", [.vary: name]))
        #expect(await Self.kept(next, try Self.ask(name, "Bearer 1")) == KeptWorld.good)
        #expect(await Self.kept(next, try Self.ask(name, "Bearer 2")) == nil)
        #expect(await Self.kept(next, request()) == nil)
    }

    @Test func `is found after a relaunch`() async throws {
        let directory = TemporaryDirectory()
        let asked = try Self.ask("Authorization", "Bearer 1")
        let clock = VirtualClock()
        for number in 0..<2 {
            let store = try Store.open(at: directory.path + "/store", host: .still)
            let files = try FileCache(directory: directory.path + "/files", now: { 0 })
            for place in [StoreResponseCache(store: store), files] as [any ResponseCache] {
                let world = KeptWorld(
                    place, clock: clock, json(KeptWorld.good, "max-age=600", [.vary: "Authorization"]))
                if number == 0 { _ = try await Got(world.cache.fetch(asked)) }
                #expect(await Self.kept(world, asked) == KeptWorld.good)
            }
            #expect(try store.verify { _ in }.findings == 0)
            try store.close()
        }
    }

    @Test(arguments: CacheUnderTest.keeping, ["Authorization", "Cookie", "Accept"])
    func `is the account's, whatever its token, and no other's`(under: CacheUnderTest, vary: String) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = KeptWorld(place, json("{\"ada\"}", "max-age=600", [.vary: vary]))
        let name = vary == "Cookie" ? vary : "Authorization"
        _ = try await Got(world.cache.fetch(Self.ask(name, "1", "ada")))
        #expect(await Self.kept(world, try Self.ask(name, "2", "ada")) == "{\"ada\"}")
        #expect(try await place.entries(for: key()).count == 1)
        #expect(await Self.kept(world, try Self.ask(name, "1", "bob")) == nil)
        #expect(await Self.kept(world, try Self.ask(name, "1")) == nil)
        var anonymous = request()
        anonymous.account = "ada"
        if vary != "Accept" { #expect(await Self.kept(world, anonymous) == nil) }
        world.server.set(json("{\"bob\"}", "max-age=600", [.vary: vary]))
        #expect(try await Got(world.cache.fetch(Self.ask(name, "3", "bob"))).body == "{\"bob\"}")
        #expect(await Self.kept(world, try Self.ask(name, "4", "ada")) == "{\"ada\"}")
        #expect(await Self.kept(world, try Self.ask(name, "4", "bob")) == "{\"bob\"}")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `further down is the account's that the request names`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = KeptWorld(place, json("{\"ada\"}", "max-age=600"))
        func named(_ account: String?) -> FetchRequest {
            var asked = request("/me")
            asked.account = account
            return asked
        }
        _ = try await Got(world.cache.fetch(named("ada")))
        #expect(await Self.kept(world, named("bob")) == nil)
        #expect(await Self.kept(world, named(nil)) == nil)
        world.server.set(json("{\"bob\"}", "max-age=600"))
        #expect(try await Got(world.cache.fetch(named("bob"))).body == "{\"bob\"}")
        #expect(await Self.kept(world, named("ada")) == "{\"ada\"}")
    }

    @Test func `is one account's also while it is under way`() async throws {
        let door = FetchDoor()
        let bodies = Mutex(["first", "second"])
        let bench = Bench { (_, _) throws(TransportError) in
            let body = bodies.withLock { $0.removeFirst() }
            await door.pass()
            return ok([.cacheControl: "max-age=60"], body)
        }
        let tasks = ["ada", "bob"].map { account in
            Task {
                var asked = request()
                asked.account = account
                return try await Got(bench.cache.fetch(asked)).body
            }
        }
        #expect(await bench.eventually { bench.requests.count == 2 })
        door.open()
        var bodiesRead: Set<String> = []
        for task in tasks { bodiesRead.insert(try await task.value) }
        #expect(bodiesRead == ["first", "second"])
    }

    @Test func `leaves its secrets in no file`() async throws {
        let directory = TemporaryDirectory()
        let secret = "hush-\(UUID().uuidString)"
        let names = [
            "Authorization", "X-Auth-Token", "X-Api-Key", "X-CSRF-Token", "X-Amz-Security-Token", "X-House",
        ]
        var built: HTTPFields = [.vary: names.joined(separator: ", ")]
        for name in names { built[try #require(HTTPField.Name(name))] = secret }
        let fields = built
        do {
            let store = try Store.open(at: directory.path + "/store", host: .still)
            let files = try FileCache(directory: directory.path + "/files", now: { 0 })
            for place in [StoreResponseCache(store: store), files] as [any ResponseCache] {
                let world = KeptWorld(
                    place, policy: CachePolicy(credentialFields: CredentialFields(secret: ["X-House"])),
                    json(KeptWorld.good, "max-age=600", fields))
                let asked = request("/a", fields)
                let got = try await Got(world.cache.fetch(asked))
                #expect(got.fetched.storage.word == "stored")
                #expect(await Self.kept(world, asked) == KeptWorld.good)
                let kept = try await place.entries(for: key())
                for name in names { #expect(kept.first?.response.fields[try #require(HTTPField.Name(name))] == nil) }
            }
            try store.close()
        }
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name)) else { continue }
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test func `keeps the fields that only look like secrets, and those that the host exempts`() async throws {
        let directory = TemporaryDirectory()
        let exempt = CredentialFields(plain: ["X-Door-Key"])
        var options = StoreOptions()
        options.credentialFields = exempt
        let store = try Store.open(at: directory.path + "/store", options: options, host: .still)
        let files = try FileCache(directory: directory.path + "/files", credentialFields: exempt, now: { 0 })
        var built: HTTPFields = [:]
        for name in ["X-NextPageToken", "X-Max-Tokens", "X-Door-Key"] {
            built[try #require(HTTPField.Name(name))] = "7"
        }
        let fields = built
        for place in [StoreResponseCache(store: store), files, MemoryResponseCache()] as [any ResponseCache] {
            let world = KeptWorld(
                place, policy: CachePolicy(credentialFields: exempt), json(KeptWorld.good, "max-age=60", fields))
            _ = try await world.value()
            world.clock.advance(by: .seconds(100))
            // A confirmation does not lose them.
            world.server.set(TransportResponse(status: .notModified, headers: [:]))
            _ = try await world.value()
            let kept = try await place.entries(for: key()).first
            for name in fields.map(\.name) { #expect(kept?.response.fields[name] == "7", "\(name)") }
        }
        try store.close()
    }
}
