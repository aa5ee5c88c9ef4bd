// Proves what each object strategy reads, fetches, stores and reports.

import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite struct `The strategy network else cache` {
    /// §5.1.1.
    @Test func `is the default`() {
        #expect(ObjectCacheOptions().strategy == .networkElseCache)
    }

    /// §5.1.1, §5.2.2.
    @Test func `gives the server's answer, and the stored one only when the server cannot be reached`() async throws {
        let world = try ObjectWorld()
        let first = try await world.cache.collection(allUsers)
        #expect(first.origin == .network)
        #expect(first.numbers == ["1", "2", "3", "4"])
        world.server.put("User", "5", "5")
        #expect(try await world.cache.collection(allUsers).numbers == ["1", "2", "3", "4", "5"])
        world.clock.advance(by: .seconds(60))
        world.goOffline()
        let offline = try await world.cache.collection(allUsers)
        #expect(offline.numbers == ["1", "2", "3", "4", "5"])
        #expect(offline.origin == .cache)
        #expect(offline.reuse.word == "unreachable")
        #expect(offline.age == .seconds(60))
        guard case .expiredServedOffline = offline.state else {
            Issue.record("\(offline.state)")
            return
        }
    }

    /// §5.1.1.
    @Test func `gives the stored answer after a 304, and says that it was confirmed`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.clock.advance(by: .seconds(9))
        let again = try await world.cache.collection(allUsers)
        #expect(again.origin == .revalidated)
        #expect(again.numbers == ["1", "2", "3", "4"])
        #expect(again.age == .zero)
        // The confirmation is as good as the answer.
        world.clock.advance(by: .seconds(1))
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).age == .seconds(1))
    }

    @Test(arguments: [.internalServerError, .serviceUnavailable, .notFound, .unauthorized] as [HTTPResponse.Status])
    func `throws a server's error, for the server was reached, and leaves what is stored alone`(
        status: HTTPResponse.Status
    ) async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.server.set { $0.status = status }
        await #expect {
            try await world.cache.collection(allUsers)
        } throws: { error in
            guard case .server(let head)? = error as? HTTPCacheError else { return false }
            return head.status == status
        }
        world.server.set { $0.status = nil }
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers == ["1", "2", "3", "4"])
    }

    @Test(
        arguments: [
            .connectionRefused, .noConnection(reason: "x"), .timeout(.connect), .timeout(.head),
            .connectionLost(reason: "x"), .tls(reason: "x"),
        ] as [TransportError])
    func `treats every failure without an answer as unreachable`(failure: TransportError) async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(1))
        world.network.plan(.fail(failure), exchange: 1)
        #expect(try await world.cache.object(user(1)).origin == .cache)
    }

    @Test func `treats an answer that breaks off as none`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.server.put("User", "5", "5")
        world.network.plan(.cut(after: 3), exchange: 1)
        let answer = try await world.cache.collection(allUsers)
        #expect(answer.numbers == ["1", "2", "3", "4"])
        #expect(answer.origin == .cache)
    }

    @Test func `sends nothing when the host says that there is no connection`() async throws {
        let world = try ObjectWorld(isOnline: { false })
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1)) }
        #expect(world.network.recorded.isEmpty)
    }

    @Test func `gives the failure when nothing is stored`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        await #expect {
            try await world.cache.collection(allUsers)
        } throws: { error in
            guard case .transport(.connectionRefused)? = error as? HTTPCacheError else { return false }
            return true
        }
    }

    @Test func `reports an answer that it cannot decode, and leaves what is stored`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(1))
        world.server.set { $0.pages["/User/1"] = "nonsense" }
        await #expect {
            try await world.cache.object(user(1))
        } throws: { error in
            (error as? HTTPCacheError)?.isParseError == true
        }
        // Another object than the one that was asked for is no answer either.
        world.server.set { $0.pages["/User/1"] = "2\t2" }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1)) }
        world.goOffline()
        #expect(try await world.cache.object(user(1)).number == "1")
    }
}

@Suite struct `The strategy network only` {
    /// §5.1.2.
    @Test func `stores nothing and reads nothing that is stored`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        let answer = try await world.cache.collection(allUsers, strategy: .networkOnly)
        #expect(answer.storage.word == "not-keeping")
        #expect(try world.storedObjects() == [])
        _ = try await world.cache.collection(allUsers)
        world.server.put("User", "1", "100")
        _ = try await world.cache.collection(allUsers, strategy: .networkOnly)
        #expect(world.lastFields[.ifNoneMatch] == nil)
        world.goOffline()
        await #expect(throws: HTTPCacheError.self) {
            try await world.cache.collection(allUsers, strategy: .networkOnly)
        }
        #expect(try await world.cache.collection(allUsers).numbers.first == "1")
    }

    /// §5.1.2.
    @Test func `queues nothing and stores nothing on saving`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        try await world.cache.save(user(1), payload: Array("10".utf8), strategy: .networkOnly)
        #expect(try world.storedObjects() == [])
        world.goOffline()
        await #expect {
            try await world.cache.save(user(1), payload: Array("11".utf8), strategy: .networkOnly)
        } throws: { error in
            (error as? HTTPCacheError)?.isNoConnectionError == true
        }
        world.goOnline()
        #expect(try await world.cache.sendQueued() == QueueReport())
        #expect(world.server.written == ["PUT /User/1 10"])
    }
}

@Suite struct `The strategy cache then network` {
    private func list<Value>(_ answers: ObjectAnswers<Value>) async throws -> [Fetched<Value>] {
        var list: [Fetched<Value>] = []
        for try await answer in answers { list.append(answer) }
        return list
    }

    /// §5.1.3.
    @Test func `gives what is stored first, and then the server's answer`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.server.put("User", "1", "100")
        let answers = try await list(try world.cache.collectionAnswers(allUsers))
        #expect(answers.map(\.origin) == [.cache, .network])
        #expect(answers.map(\.isIntermediate) == [true, false])
        #expect(answers.map(\.numbers.first) == ["1", "100"])
    }

    @Test func `gives the server's answer alone when nothing is stored`() async throws {
        let world = try ObjectWorld()
        let answers = try await list(try world.cache.objectAnswers(user(2)))
        #expect(answers.map(\.origin) == [.network])
        #expect(answers.map(\.number) == ["2"])
    }

    @Test func `gives a second answer after a 304, too`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(2))
        let answers = try await list(try world.cache.objectAnswers(user(2)))
        #expect(answers.map(\.origin) == [.cache, .revalidated])
        #expect(answers.map(\.number) == ["2", "2"])
    }

    @Test func `ends with the failure when the server cannot be reached`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(2))
        world.goOffline()
        var answers = try world.cache.objectAnswers(user(2)).makeAsyncIterator()
        let first = try await answers.next()
        #expect(first?.number == "2")
        do {
            _ = try await answers.next()
            Issue.record("no failure")
        } catch {
            #expect(error.isNoConnectionError)
        }
        let end = try await answers.next()
        #expect(end == nil)
    }
}

@Suite struct `The strategy cache else network` {
    /// §5.1.4.
    @Test func `gives what is stored however old it is, says so, and fetches only what is missing`() async throws {
        let world = try ObjectWorld()
        let first = try await world.cache.collection(allUsers, strategy: .cacheElseNetwork)
        #expect(first.origin == .network)
        world.clock.advance(by: .seconds(86_400 * 400))
        world.server.put("User", "1", "100")
        let second = try await world.cache.collection(allUsers, strategy: .cacheElseNetwork)
        #expect(second.origin == .cache)
        #expect(second.numbers.first == "1")
        #expect(second.reuse.word == "any-age")
        #expect(second.age == .seconds(86_400 * 400))
        #expect(world.network.recorded.count == 1)
    }

    @Test func `fetches when what is stored is not complete, and gives what there is when no server answers`()
        async throws
    {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        try await world.cache.deleteFromStorage(user(2))
        world.goOffline()
        let partial = try await world.cache.collection(allUsers, strategy: .cacheElseNetwork)
        #expect(partial.numbers == ["1", "3", "4"])
        #expect(partial.value.missing == [user(2)])
        world.goOnline()
        let whole = try await world.cache.collection(allUsers, strategy: .cacheElseNetwork)
        #expect(whole.origin == .network)
        #expect(whole.value.isComplete)
    }
}

@Suite struct `The strategy of the options` {
    /// §5.1.5.
    @Test func `holds for every request that names none`() async throws {
        let world = try ObjectWorld(options: ObjectCacheOptions(strategy: .networkOnly))
        _ = try await world.cache.collection(allUsers)
        #expect(world.memory.collection(allUsers) == nil)
        _ = try await world.cache.collection(allUsers, strategy: .networkElseCache)
        #expect(world.memory.collection(allUsers) != nil)
    }
}

@Suite struct `The strategy cache only` {
    @Test func `never uses the network`() async throws {
        let world = try ObjectWorld()
        await #expect {
            try await world.cache.collection(allUsers, strategy: .cacheOnly)
        } throws: { error in
            guard case .notCached? = error as? HTTPCacheError else { return false }
            return true
        }
        #expect(world.network.recorded.isEmpty)
        _ = try await world.cache.collection(allUsers)
        #expect(try await world.cache.collection(allUsers, strategy: .cacheOnly).origin == .cache)
        #expect(world.network.recorded.count == 1)
    }
}
