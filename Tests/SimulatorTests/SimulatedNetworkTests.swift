// Proves that the simulated network applies each fault as a client would see it.

import LarderSimulator
import LarderSync
import LarderTesting
import Testing

@Suite struct `A simulated network` {
    typealias ResourceID = ModelServer.ResourceID

    static let page = "/api/v4/resources/sync?resources=notes:*&bootstrap=true"
    static let copy = "/api/v4/resources/snapshots/notes/1"
    static let targets = [
        page, copy, "/api/v4/resources/snapshots/translations/1",
        "/api/v4/resources/sync?resources=translations:*&bootstrap=true",
    ]

    static func server() -> ModelServer {
        var server = ModelServer()
        server.apply(.create(ResourceID("notes", 1), [.init("entry", "a"), .init("entry", "b")]))
        server.apply(.create(ResourceID("translations", 1), [.init("translation", "1")]))
        return server
    }

    static func only(_ fault: NetworkFault) -> FaultProfile {
        var profile = FaultProfile()
        profile[fault] = 1000
        return profile
    }

    @Test func `gives the same history for the same seed`() {
        func trace(_ seed: UInt64) -> HistoryTrace {
            var generator = SeededGenerator(seed: seed)
            var network = SimulatedNetwork(profile: FaultProfile(using: &generator))
            var server = Self.server()
            var trace = HistoryTrace()
            for _ in 0..<200 {
                trace.append(server.mutate(using: &generator).description)
                let target = generator.pick(Self.targets) ?? ""
                trace.append(network.exchange(target, with: server, using: &generator).description)
            }
            return trace
        }
        for seed in 1...20 as ClosedRange<UInt64> { #expect(trace(seed).hash == trace(seed).hash) }
        #expect(Set((1...20 as ClosedRange<UInt64>).map { trace($0).hash }).count == 20)
        // Known values: a change of the simulator that changes old histories should be meant.
        #expect(trace(1).hash == 2_938_138_695_415_683_513)
    }

    @Test func `without faults gives the server's answer, whole and in time`() {
        var generator = SeededGenerator(seed: 3)
        var profile = FaultProfile()
        profile.chunks = 4
        var network = SimulatedNetwork(profile: profile)
        let server = Self.server()
        for target in Self.targets {
            let exchange = network.exchange(target, with: server, using: &generator)
            #expect(exchange.status == 200)
            #expect(exchange.body == server.answer(target).body)
            #expect(exchange.ending == .whole)
            let times = [exchange.headAfter ?? -1] + exchange.chunks.map(\.after) + [exchange.endsAfter ?? -1]
            #expect(times == times.sorted() && times[0] >= 0)
            #expect(exchange.header("content-length") == String(exchange.body.count))
        }
    }

    @Test func `is without faults while it is quiet`() {
        var generator = SeededGenerator(seed: 4)
        var network = SimulatedNetwork(profile: Self.only(.portal))
        let server = Self.server()
        _ = network.exchange(Self.page, with: server, using: &generator)
        network.isQuiet = true
        #expect(network.exchange(Self.page, with: server, using: &generator).body == server.answer(Self.page).body)
        network.isQuiet = false
        #expect(network.exchange(Self.page, with: server, using: &generator).fault == .portal)
    }

    @Test(
        arguments: [NetworkFault.truncated, .cut, .stalledInBody, .corrupted, .portal], 1...50 as ClosedRange<UInt64>)
    func `never gives a damaged body that a client would believe`(_ fault: NetworkFault, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var network = SimulatedNetwork(profile: Self.only(fault))
        let page = network.exchange(Self.page, with: Self.server(), using: &generator)
        #expect(throws: WireError.self, "seed \(seed)") { try SyncPage(decoding: page.body) }
        let copy = network.exchange(Self.copy, with: Self.server(), using: &generator)
        #expect(throws: WireError.self, "seed \(seed)") {
            var parser = SnapshotParser()
            var position = 0
            let body = copy.body
            while try parser.next(in: body, at: &position) {}
            return try parser.finish()
        }
    }

    @Test(
        arguments: [
            (NetworkFault.lostBefore, nil), (.lostAfter, nil), (.stalledBeforeHead, nil), (.rateLimited, 429),
            (.unauthorized, 401), (.forbidden, 403), (.notFound, 404), (.redirected, 302), (.portal, 200),
            (.resyncRequired, 410),
        ] as [(NetworkFault, Int?)])
    func `shows each fault as the client would see it`(_ fault: NetworkFault, _ status: Int?) {
        var generator = SeededGenerator(seed: 5)
        var network = SimulatedNetwork(profile: Self.only(fault))
        let exchange = network.exchange(Self.copy, with: Self.server(), using: &generator)
        #expect(exchange.status == status)
        #expect((exchange.endsAfter == nil) == (fault == .stalledBeforeHead))
        // Only the server itself reports a missing snapshot.
        #expect(ServerProblem(status: 404, body: exchange.body).code != "snapshot_not_found")
    }

    @Test func `repeats what was said before, but not across a restoration`() {
        var generator = SeededGenerator(seed: 6)
        var network = SimulatedNetwork(profile: Self.only(.repeated))
        var server = Self.server()
        let first = network.exchange(Self.copy, with: server, using: &generator)
        #expect(first.fault == nil)
        server.apply(.put(ResourceID("notes", 1), .init("entry", "c")))
        let second = network.exchange(Self.copy, with: server, using: &generator)
        #expect(second.fault == .repeated && second.body == first.body)
        server.apply(.restore(toSequence: 1))
        let third = network.exchange(Self.copy, with: server, using: &generator)
        #expect(third.fault == nil && third.body == server.answer(Self.copy).body)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `mixes up only answers that show themselves or leave nothing out`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var profile = FaultProfile()
        profile[.mixedUp] = 400
        var network = SimulatedNetwork(profile: profile)
        var server = Self.server()
        var tokens: [String: [String]] = [:]
        for step in 1...150 {
            server.mutate(using: &generator)
            _ = network.exchange(generator.pick(Self.targets) ?? "", with: server, using: &generator)
            let filter = generator.below(2) == 0 ? "notes:*" : "notes:1;translations:*"
            let token = generator.pick(tokens[filter] ?? [])
            let start =
                "/api/v4/resources/sync?resources=\(filter)&" + (token.map { "sync_token=\($0)" } ?? "bootstrap=true")
            let exchange = network.exchange(start + "&per_page=2", with: server, using: &generator)
            guard exchange.status == 200, let page = try? SyncPage(decoding: exchange.body) else { continue }
            if exchange.fault == nil {
                if let next = page.nextSyncToken { tokens[filter, default: []].append(next) }
                continue
            }
            let resources = try ResourceFilter(filter)
            let shows = page.mutations.contains {
                !resources.matches(group: $0.resource.group, id: $0.resource.id)
            }
            guard !shows, let whole = try? SyncPage(decoding: server.answer(start + "&per_page=100").body) else {
                continue
            }
            if token == nil {
                #expect(page.mutations.allSatisfy { $0.type == .resourceCreate }, "seed \(seed), step \(step)")
                continue
            }
            let covered = page.hasMore ? page.mutations.last?.sequence ?? 0 : page.syncUntilSequence
            let due = whole.mutations.filter { $0.sequence <= covered }
            #expect(Set(page.mutations).isSuperset(of: due), "seed \(seed), step \(step)")
        }
    }
}

@Suite struct `A fault profile` {
    @Test func `lets each fault happen as often as it says`() {
        var profile = FaultProfile()
        profile[.cut] = 100
        profile[.notFound] = 300
        var counts: [NetworkFault?: Int] = [:]
        var generator = SeededGenerator(seed: 11)
        var network = SimulatedNetwork(profile: profile)
        let server = `A simulated network`.server()
        for _ in 0..<10_000 {
            counts[network.exchange(`A simulated network`.page, with: server, using: &generator).fault, default: 0] += 1
        }
        #expect((900...1100).contains(counts[.cut] ?? 0))
        #expect((2800...3200).contains(counts[.notFound] ?? 0))
        #expect(counts.count == 3)
    }

    @Test func `is quiet in some histories and has every fault in others`() {
        var seen: Set<NetworkFault> = []
        var quiet = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let profile = FaultProfile(using: &generator)
            let faults = NetworkFault.allCases.filter { profile[$0] > 0 }
            seen.formUnion(faults)
            if faults.isEmpty, profile.lagging == 0 { quiet += 1 }
        }
        #expect(seen == Set(NetworkFault.allCases))
        #expect((10...60).contains(quiet))
    }
}
