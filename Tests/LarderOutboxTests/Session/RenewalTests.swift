// Proves that an expired login is renewed through the credentials once, and that the outbox waits for the host only when that fails.
import HTTPTypes
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Credentials that were refused` {
    /// A token that is another one whenever it was refused, as long as it can be had.
    private final class Tokens: Credentials {
        let number = Mutex(0)
        let failures = Mutex(0)

        struct Unavailable: Error {}

        func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
            let fails = failures.withLock { left in
                if isRefused, left > 0 {
                    left -= 1
                    return true
                }
                return false
            }
            if fails { throw Unavailable() }
            return number.withLock { number in
                if isRefused { number += 1 }
                return [.authorization: "\(account ?? "") \(number)"]
            }
        }
    }

    private func world(accepting token: String) throws -> OutboxWorld {
        try OutboxWorld { request in
            TransportResponse(status: request.fields[.authorization] == token ? .ok : .unauthorized)
        }
    }

    @Test func `are renewed once for all that were refused, and the writes are sent again`() async throws {
        let world = try world(accepting: "ada 1")
        let tokens = Tokens()
        let outbox = try world.outbox(account: "ada", credentials: tokens)
        for number in 1...4 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
        let left = await outbox.drain(within: .seconds(20))
        #expect(left.unsent == 0 && tokens.number.withLock { $0 } == 1)
        #expect(world.clock.now.offset == .zero)
        #expect(Set(world.requests.map(\.key)).count == 4)
    }

    @Test func `are not renewed where somebody else has had that done since`() async throws {
        let tokens = Tokens()
        let world = try OutboxWorld { request in
            if request.fields[.authorization] == "ada 1" { return TransportResponse(status: .ok) }
            tokens.number.withLock { $0 = 1 }
            return TransportResponse(status: .unauthorized)
        }
        let outbox = try world.outbox(account: "ada", credentials: tokens)
        try await outbox.enqueue(makeNoteWrite(1))
        #expect(await outbox.drain(within: .seconds(20)).unsent == 0)
        #expect(tokens.number.withLock { $0 } == 1)
    }

    @Test func `are requested again after a wait when they could not be renewed`() async throws {
        let world = try world(accepting: "ada 1")
        let tokens = Tokens()
        tokens.failures.withLock { $0 = 1 }
        let outbox = try world.outbox(account: "ada", credentials: tokens)
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(2))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(world.requests.count == 2)
    }

    @Test func `are renewed for a write that may not wait, which is sent again under its key`() async throws {
        let world = try world(accepting: "ada 1")
        let tokens = Tokens()
        let outbox = try world.outbox(account: "ada", credentials: tokens)
        #expect(try await outbox.send(makeNoteWrite(1)).head.status == .ok)
        #expect(tokens.number.withLock { $0 } == 1 && world.requests.count == 2)
        #expect(Set(world.requests.map(\.key)).count == 1)
    }

    @Test func `and are refused again when renewed end a write that may not wait`() async throws {
        let world = try world(accepting: "ada 7")
        let outbox = try world.outbox(account: "ada", credentials: Tokens())
        await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(1)) }
        #expect(world.requests.count == 2)
    }
}
