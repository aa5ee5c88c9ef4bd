// Proves that writes made offline are shown at once, sent once, and reported to observers.

import HTTPTypes
import Larder
import LarderOutbox
import LarderServer
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A local write` {
    @Test func `is shown offline, retried, and accepted once`() async throws {
        let world = World()
        world.network.set(.offline)
        world.transport.on(.put, "/notes/*").answer(503).then(200)
        let cache = try await world.open()
        try await world.running(cache) {
            let note = Note(id: "9", text: "buy bread")
            let sent = try await cache.put(note, to: "/notes/9")
            #expect(try cache.rows(Note.self) == [note])
            #expect(cache.isPending(note) && world.transport.recorded.isEmpty)
            world.network.set(.online)
            try await world.clock.wait(for: "the note to be sent") { !cache.isPending(note) }
            #expect(try await sent.outcome == .accepted)
            let puts = world.transport.recorded.filter { $0.request.method == .put }
            #expect(
                puts.count == 2
                    && Set(puts.map { $0.request.headerFields[OutboxConfiguration.sourceKeyField] }).count == 1)
            #expect(puts.first?.body.map { String(decoding: $0, as: UTF8.self) } == #"{"id":"9","text":"buy bread"}"#)
            #expect(try cache.rows(Note.self) == [note])
        }
    }

    @Test func `that the server refuses is undone`() async throws {
        let world = World()
        world.transport.on(.put, "/notes/*").answer(422)
        let cache = try await world.open()
        try await world.running(cache) {
            let sent = try await cache.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
            guard case .rejected = try await sent.outcome else {
                Issue.record("the write was not refused")
                return
            }
            #expect(try cache.rows(Note.self).isEmpty)
        }
    }

    @Test func `that deletes hides the row at once`() async throws {
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open()
        let note = Note(id: "9", text: "buy bread")
        try await cache.put(note, to: "/notes/9")
        try await cache.delete(note, from: "/notes/9")
        #expect(try cache.rows(Note.self).isEmpty && cache.isPending(note))
        try await cache.close()
    }

    @Test func `reaches observers when it is made and when the server has it`() async throws {
        let world = World()
        world.network.set(.offline)
        world.transport.on(.put, "/notes/*").answer(200)
        let cache = try await world.open()
        try await world.running(cache) {
            var seen: [[String]] = []
            for try await notes in cache.observe(Note.self) {
                seen.append(notes.map { "\($0.text) \(cache.isPending($0) ? "waits" : "sent")" })
                switch seen.count {
                case 1: try await cache.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
                case 2: world.network.set(.online)
                default: break
                }
                if seen.count == 3 { break }
            }
            #expect(seen == [[], ["buy bread waits"], ["buy bread sent"]])
        }
    }

    @Test func `belongs to the account that is signed in, which cannot sign out while it is unsent`() async throws {
        let world = World()
        world.network.set(.offline)
        let cache = try await world.open(options: CacheOptions())
        let note = Note(id: "9", text: "buy bread")
        await #expect(throws: (any Error).self) { try await cache.put(note, to: "/notes/9") }
        try await cache.session.signIn(as: "user-1")
        try await cache.put(note, to: "/notes/9")
        do {
            try await cache.session.signOut()
            Issue.record("signed out with an unsent write")
        } catch SessionError.unsent(let left) {
            #expect(left.pending == 1)
        }
        try await cache.close()
    }
}
