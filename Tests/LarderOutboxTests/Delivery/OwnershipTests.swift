// Proves that one outbox sends per store, and that another does no harm beside it and takes over when it ends.
import Foundation
import HTTPTypes
import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite(.timeLimit(.minutes(5))) struct `Two outboxes on one store` {
    private static var thisProcess: OutboxOwner { OutboxOwner(processID: ProcessInfo.processInfo.processIdentifier) }

    @Test func `only the first sends; the other enqueues, and learns which process does`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .ok) }
        let (first, second) = (try world.outbox(), try world.outbox())
        try await world.running(first) {
            try await world.wait(first) { $0.isRunning }
            let queued = try await second.enqueue(makeNoteWrite(1))
            #expect(try await second.outcome(of: queued.id) == .accepted)
            let status = await advancingClock(world) { await second.drain(within: .seconds(10)) }
            #expect(status.deliverer == Self.thisProcess && !status.isRunning)
            #expect(first.status.deliverer == nil)
        }
        #expect(world.requests.count == 1)
        #expect(await second.drain(within: .seconds(1)).deliverer == nil)
    }

    @Test func `the other becomes the owner when the first ends`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .ok) }
        let (first, second) = (try world.outbox(), try world.outbox())
        let running = Task { try await first.run() }
        try await world.wait(first) { $0.isRunning }
        let waiting = Task { try await second.run() }
        let parked = try await second.enqueue(makeNoteWrite(2))
        #expect(try await first.outcome(of: parked.id) == .accepted)
        // Before it waits, it has looked a few times.
        let status = try await advancingClock(world) { try await world.wait(second) { $0.deliverer != nil } }
        #expect(!status.isRunning)
        running.cancel()
        _ = await running.result
        let queued = try await second.enqueue(makeNoteWrite(1))
        let outcome = try await advancingClock(world, .seconds(1)) { try await second.outcome(of: queued.id) }
        #expect(outcome == .accepted)
        waiting.cancel()
        _ = await waiting.result
        #expect(world.requests.count == 2)
    }

    @Test func `a command beside the one that sends leaves alone what is being sent`() async throws {
        let (answers, open) = AsyncStream<Void>.makeStream()
        let slow = try OutboxWorld { _ in
            for await _ in answers { break }
            return TransportResponse(status: .ok)
        }
        let (first, second) = (try slow.outbox(), try slow.outbox())
        try await slow.running(first) {
            let sending = try await first.enqueue(makeNoteWrite(1, entity: "a"))
            try await slow.wait(first) { $0.sending == 1 }
            let parked = try await first.enqueue(makeNoteWrite(2, entity: "a"))
            await #expect(throws: OutboxError.self) { try await second.cancel(sending.id) }
            try await second.retryAll()
            #expect(try slow.entries().first { $0.id == sending.id }?.delivery.state == .sending)
            try await second.cancel(parked.id)
            #expect(try await first.outcome(of: parked.id) == .removed("cancelled"))
            open.finish()
            #expect(try await first.outcome(of: sending.id) == .accepted)
        }
        #expect(slow.requests.count == 1)
    }

    @Test func `a lock file that is not plainly the store's is not used`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .ok) }
        let lock = world.store.path + "/outbox.lock"
        let target = world.store.path + "-elsewhere"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: target))
        defer { try? FileManager.default.removeItem(atPath: target) }
        let outbox = try world.outbox()
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        for make in [symbolicLink, hardLink, pipe] {
            try make(lock, target)
            await #expect(throws: (any Error).self) { try await outbox.run() }
            #expect(await outbox.drain(within: .seconds(1)).pending == 1)
            try FileManager.default.removeItem(atPath: lock)
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "kept")
        #expect(world.requests.isEmpty)
        try await world.running(outbox) {
            let outcome = try await outbox.outcome(of: queued.id)
            #expect(outcome == .accepted)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: lock)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    /// Has time pass while `body` waits.
    private func advancingClock<Value: Sendable>(
        _ world: OutboxWorld, _ step: Duration = .milliseconds(20), _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        let ticker = Task {
            while !Task.isCancelled {
                world.clock.advance(by: step)
                await Task.yield()
            }
        }
        defer { ticker.cancel() }
        return try await body()
    }

    private func symbolicLink(_ lock: String, _ target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: target)
    }

    private func hardLink(_ lock: String, _ target: String) throws {
        try FileManager.default.linkItem(atPath: target, toPath: lock)
    }

    private func pipe(_ lock: String, _ target: String) throws {
        let outcome = unsafe mkfifo(lock, 0o600)
        try #require(outcome == 0)
    }
}
