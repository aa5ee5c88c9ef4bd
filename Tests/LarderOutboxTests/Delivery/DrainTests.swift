// Proves that a drain ends when nothing waits, when nothing more can be sent now, or when its time is over, and says what is left and why.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Logging
import Synchronization
import Testing

#if ServiceLifecycle
import ServiceLifecycle
#endif

@Suite(.timeLimit(.minutes(5))) struct `A drain` {
    private static func wait(_ seconds: Int) -> OutboxWorld.Script {
        { _ in TransportResponse(status: .serviceUnavailable, headers: [.retryAfter: "\(seconds)"]) }
    }

    @Test(arguments: [false, true])
    func `sends what was enqueued just before, and returns`(isRunning: Bool) async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        func drain() async throws {
            for number in 1...5 { try await outbox.enqueue(makeNoteWrite(number, entity: "\(number % 2)")) }
            let left = await outbox.drain(within: .seconds(20))
            #expect(left.unsent == 0 && left.pauses.isEmpty && left.isRunning == isRunning)
            #expect(world.requests.count == 5)
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
        #expect(world.clock.now.offset == .zero)
    }

    @Test(arguments: [false, true])
    func `without a network returns at once, and says so`(isRunning: Bool) async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        func drain() async throws {
            try await outbox.enqueue(makeNoteWrite(1))
            let left = await outbox.drain(within: .seconds(20))
            #expect(left.unsent == 1)
            #expect(left.pauses == [.offline])
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
        #expect(world.clock.now.offset == .zero)
    }

    @Test(arguments: [false, true])
    func `waits for what is due before its time is over`(isRunning: Bool) async throws {
        let world = try OutboxWorld(script: Self.wait(5))
        let outbox = try world.outbox()
        func drain() async throws {
            try await outbox.enqueue(makeNoteWrite(1))
            let drain = Task { await outbox.drain(within: .seconds(20)) }
            try await world.wait(outbox) { $0.waiting == 1 }
            world.answer { _ in TransportResponse(status: .ok) }
            await world.clock.sleepers(atLeast: 2)
            world.clock.advance(by: .seconds(5))
            #expect(await drain.value.unsent == 0)
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
    }

    @Test func `returns while the server's wait lasts longer`() async throws {
        let world = try OutboxWorld(script: Self.wait(60))
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1))
        let left = await outbox.drain(within: .seconds(20))
        #expect(left.waiting == 1 && left.pauses == [.serverWait(until: world.clock.wallMilliseconds + 60_000)])
    }

    @Test(arguments: [false, true])
    func `returns at its limit, whatever hangs, and loses nothing`(isRunning: Bool) async throws {
        let world = try OutboxWorld { _ async throws(TransportError) in
            do { try await Task.sleep(for: .seconds(3600)) } catch { throw .cancelled }
            return TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        func drain() async throws {
            try await outbox.enqueue(makeNoteWrite(1))
            let drain = Task { await outbox.drain(within: .seconds(20)) }
            try await world.wait(outbox) { $0.sending == 1 }
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(20))
            #expect(await drain.value.unsent == 1)
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
        world.answer { _ in TransportResponse(status: .ok) }
        let next = try world.outbox()
        try await next.retryAll()
        #expect(await next.drain(within: .seconds(20)).unsent == 0)
        #expect(Set(world.requests.map(\.key)).count == 1)
    }

    @Test func `ends with the run beside it`() async throws {
        let world = try OutboxWorld(script: Self.wait(5))
        let outbox = try world.outbox()
        let drain = Mutex<Task<OutboxStatus, Never>?>(nil)
        try await world.running(outbox) {
            try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            drain.withLock { $0 = Task { await outbox.drain(within: .seconds(20)) } }
            await world.clock.sleepers(atLeast: 2)
        }
        #expect(await drain.withLock { $0 }?.value.unsent == 1)
    }

    @Test func `outlives a shorter one, and what is under way goes on for it`() async throws {
        let (answers, open) = AsyncStream<Void>.makeStream()
        let world = try OutboxWorld { _ in
            for await _ in answers { break }
            return TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1))
        let short = Task { await outbox.drain(within: .seconds(2)) }
        try await world.wait(outbox) { $0.sending == 1 }
        let long = Task { await outbox.drain(within: .seconds(20)) }
        // The limits of both.
        await world.clock.sleepers(atLeast: 2)
        world.clock.advance(by: .seconds(2))
        #expect(await short.value.sending == 1)
        open.finish()
        let left = await long.value
        #expect(left.unsent == 0 && !left.isRunning)
        #expect(world.requests.count == 1)
        // Nothing is left of either.
        try await outbox.enqueue(makeNoteWrite(2))
        #expect(await outbox.drain(within: .seconds(2)).unsent == 0)
    }

    @Test(arguments: [false, true])
    func `waits for what a write has become`(isRunning: Bool) async throws {
        let (loads, load) = AsyncStream<Void>.makeStream()
        let stamped = #"{"status":"done","rev":3}"#
        let world = try OutboxWorld { request in
            guard request.method == "GET" else { return TransportResponse(status: .noContent) }
            for await _ in loads { break }
            return TransportResponse(status: .ok, body: Array(stamped.utf8))
        }
        let outbox = try world.outbox()
        func drain() async throws {
            try await outbox.enqueue(saveVisit("{}", loadsAnswer: true))
            let drain = Task { await outbox.drain(within: .seconds(20)) }
            try await world.waitUntil { world.requests.count == 2 }
            // Something that has the loop look whether the drain is over.
            outbox.foreground()
            load.finish()
            #expect(await drain.value.unsent == 0)
            #expect(try world.visitShown() == stamped)
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
        #expect(world.clock.now.offset == .zero)
    }

    /// What is refreshed after a write; slow, unless it is cancelled.
    private final class SlowRefresh: RefreshControl {
        let answers: AsyncStream<Void>
        let isDone = Mutex(false)

        init(_ answers: AsyncStream<Void>) { self.answers = answers }

        func cancelRefreshes(of key: Int) {}

        func refreshValues(of key: Int) async {
            for await _ in answers { break }
            isDone.withLock { $0 = !Task.isCancelled }
        }
    }

    @Test(arguments: [false, true])
    func `waits for what is refreshed after a write`(isRunning: Bool) async throws {
        let (refreshes, refresh) = AsyncStream<Void>.makeStream()
        let world = try OutboxWorld()
        let (outbox, control) = (try world.outbox(), SlowRefresh(refreshes))
        func drain() async throws {
            let queued = try await outbox.mutate(saveVisit("{}"), refreshing: 1, with: control)
            let drain = Task { await outbox.drain(within: .seconds(20)) }
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            outbox.foreground()
            refresh.finish()
            #expect(await drain.value.unsent == 0)
            #expect(control.isDone.withLock { $0 })
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
        #expect(world.clock.now.offset == .zero)
    }

    @Test(arguments: [false, true])
    func `returns at once where nothing renews the login`(isRunning: Bool) async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .unauthorized) }
        let outbox = try world.outbox()
        func drain() async throws {
            try await outbox.enqueue(makeNoteWrite(1))
            let left = await outbox.drain(within: .seconds(20))
            #expect(left.unsent == 1 && left.pauses == [.signInExpired(account: nil)])
        }
        if isRunning { try await world.running(outbox, drain) } else { try await drain() }
        #expect(world.clock.now.offset == .zero)
    }

    @Test func `waits while the login is renewed, and for what goes on then`() async throws {
        let isSignedIn = Mutex(false)
        let world = try OutboxWorld { _ in
            TransportResponse(status: isSignedIn.withLock { $0 } ? .ok : .unauthorized)
        }
        let outbox = try world.outbox(
            configuration: {
                $0.signIn = { _ in
                    isSignedIn.withLock { $0 = true }
                    return true
                }
            })
        try await outbox.enqueue(makeNoteWrite(1))
        #expect(await outbox.drain(within: .seconds(20)).unsent == 0)
    }

    @Test(arguments: [false, true])
    func `waits for the answer about a conflict only where there is a network`(isOnline: Bool) async throws {
        let server = VisitServer()
        let wasRequested = Atomic(false)
        let world = try OutboxWorld()
        world.answer { [network = world.network] (request) async throws(TransportError) in
            let isFirst = request.method == "GET" && !wasRequested.exchange(true, ordering: .relaxed)
            guard isFirst else { return server.answer(request) }
            if !isOnline { network.set(.offline) }
            throw .noConnection(reason: "no answer")
        }
        try await world.putVisit(#"{"status":"open","notes":"","revision":1}"#)
        let outbox = try world.outbox(
            policy: { $0.outcomes = .conditional },
            configuration: { $0.conflicts = ConflictResolver(.serverWins) })
        try await outbox.enqueue(saveVisit(#"{"status":"done","notes":"","revision":1}"#))
        let drain = Task { await outbox.drain(within: .seconds(20)) }
        if isOnline {
            // The sleepers are its limit and the next lookup.
            await world.clock.sleepers(atLeast: 2)
            world.clock.advance(by: .seconds(1))
        }
        #expect(await drain.value.conflicted == (isOnline ? 0 : 1))
        #expect(world.clock.now.offset == (isOnline ? .seconds(1) : .zero))
    }

    #if ServiceLifecycle
    @Test func `holds up no shutdown of a run that waits for it`() async throws {
        let world = try OutboxWorld(script: Self.wait(5))
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1))
        let drain = Task { await outbox.drain(within: .seconds(20)) }
        try await world.wait(outbox) { $0.waiting == 1 }
        await world.clock.sleepers(atLeast: 2)
        let group = ServiceGroup(services: [outbox], logger: Logger(label: "larder.test"))
        let service = Task { try await group.run() }
        await world.clock.sleepers(atLeast: 3)
        await group.triggerGracefulShutdown()
        try await service.value
        world.clock.advance(by: .seconds(20))
        #expect(await drain.value.unsent == 1)
    }
    #endif

    @Test func `is followed by a run that began meanwhile`() async throws {
        let world = try OutboxWorld(script: Self.wait(5))
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1))
        let drain = Task { await outbox.drain(within: .seconds(2)) }
        try await world.wait(outbox) { $0.isRunning }
        try await world.running(outbox) {
            #expect(await drain.value.unsent == 1)
            world.answer { _ in TransportResponse(status: .ok) }
            while outbox.status.unsent > 0 {
                world.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
    }
}

@Suite struct `The number of unsent writes` {
    @Test func `leaves out only those that the server refused`() {
        var status = OutboxStatus()
        (status.pending, status.sending, status.waiting) = (1, 2, 4)
        (status.failed, status.unresolved, status.conflicted, status.rejected) = (8, 16, 32, 64)
        #expect(status.unsent == 63)
    }

    @Test func `counts a write whose attempts are used up`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .serviceUnavailable) }
        let outbox = try world.outbox { $0.mostAttempts = 1 }
        try await outbox.enqueue(makeNoteWrite(1))
        let left = await outbox.drain(within: .seconds(1))
        #expect(left.failed == 1 && left.unsent == 1)
    }
}
