// OfflineWrites: proves what the article says about writes: shown at once, sent once in order, undone when refused.

import Foundation
import Larder
import LarderOutbox
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Offline writes` {
    private typealias Note = GettingStarted.Note

    private let server: ArticleServer

    init() throws { server = try ArticleServer() }

    private func showOutcome(_ sent: PendingWrite, _ show: (String) -> Void) async throws {
        // block begins
        switch try await sent.outcome {  // waits for the server
        case .accepted: show("The server has it.")
        case .rejected(let reason): show("Not saved: \(reason)")  // and the row is shown as it was before
        case .removed(let word): show("Discarded: \(word)")  // such as: cancelled
        }
        // block ends
    }

    @Test func `are shown offline, survive a restart, and are sent once under one key`() async throws {
        server.network.set(.offline)
        server.transport.on(.put, "/notes/*").answer(503).then(200)
        let first = try await server.open()
        var note = Note(id: "9", text: "")
        do {
            let words = first
            // block begins
            note.text = "buy bread"
            let sent = try await words.put(note, to: "/notes/9")  // durable, and shown at once
            print(sent.id, words.isPending(note))  // true until the server has it
            // block ends
        }
        #expect(try first.rows(Note.self) == [note] && first.isPending(note))
        try await first.close()
        let second = try await server.open()
        try await server.running(second) {
            #expect(try second.rows(Note.self) == [note] && second.isPending(note))
            #expect(server.transport.recorded.isEmpty)
            server.network.set(.online)
            try await server.clock.wait(for: "the note to be sent") { !second.isPending(note) }
            let keys = server.transport.recorded.map { $0.request.headerFields[OutboxConfiguration.sourceKeyField] }
            #expect(server.transport.lines == ["PUT /notes/9", "PUT /notes/9"] && Set(keys).count == 1)
        }
    }

    @Test func `are created, deleted, and sent in the order of the row's writes`() async throws {
        server.transport.on(.put, "/notes/*").answer(200)
        server.transport.on(.post, "/notes").answer(201)
        server.transport.on(.delete, "/notes/*").answer(204)
        let words = try await server.open()
        let note = Note(id: "9", text: "buy bread")
        try await words.put(note, to: "/notes/9")
        // block begins
        let created = Note(id: UUID().uuidString, text: "call home")
        try await words.post(created, to: "/notes")
        try await words.delete(note, from: "/notes/9")
        // block ends
        #expect(try words.rows(Note.self) == [created])
        try await server.running(words) {
            try await server.clock.wait(for: "the writes to be sent") { words.outbox?.status.unsent == 0 }
            #expect(server.transport.lines.filter { $0.contains("/notes/9") } == ["PUT /notes/9", "DELETE /notes/9"])
            #expect(server.transport.lines.contains("POST /notes"))
            #expect(try words.rows(Note.self) == [created])
        }
    }

    @Test func `of one row are merged while the first one waits`() async throws {
        server.transport.on(.put, "/notes/*").answer(200)
        let words = try await server.open()
        let first = try await words.put(Note(id: "9", text: "buy"), to: "/notes/9")
        let second = try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
        #expect(first.id == second.id)
        try await server.running(words) {
            var lines: [String] = []
            try await showOutcome(second) { lines.append($0) }
            #expect(lines == ["The server has it."])
            #expect(server.bodies(.put) == [#"{"id":"9","text":"buy bread"}"#])
        }
    }

    @Test func `are undone when the server refuses them, and stay until the app handles them`() async throws {
        server.transport.on(.put, "/notes/*").answer(422)
        let words = try await server.open()
        try await server.running(words) {
            var lines: [String] = []
            let sent = try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
            try await showOutcome(sent) { lines.append($0) }
            #expect(lines == ["Not saved: the server refused it (422)"])
            #expect(try words.rows(Note.self).isEmpty)
            #expect(try words.store.read { view in try view.outboxEntries().count } == 1)
            // block begins
            for entry in try words.store.read({ view in try view.outboxEntries() })
            where entry.delivery.state == .rejected {
                print(entry.method, entry.endpoint, entry.delivery.lastError ?? "")
                try await words.outbox?.drop(entry.id)  // or: retryRejected(entry.id)
            }
            // block ends
            #expect(try words.store.read { view in try view.outboxEntries().isEmpty })
        }
    }

    private func showUnsent(_ words: ContentCache, _ show: (Int, String) -> Void) async {
        // block begins
        guard let outbox = words.outbox else { return }
        for await status in outbox.statuses() {  // now, and after every change
            show(status.unsent, status.description)  // 1 not sent yet. Nothing is sent: there is no network.
            if status.unsent == 0 { break }
        }
        // block ends
    }

    @Test func `are counted for a badge, with the reason why they wait`() async throws {
        server.network.set(.offline)
        server.transport.on(.put, "/notes/*").answer(200)
        let words = try await server.open()
        try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
        try await server.running(words) {
            var lines: [String] = []
            await showUnsent(words) { count, line in
                lines.append(line)
                if line.hasSuffix("there is no network.") {
                    #expect(count == 1)
                    server.network.set(.online)
                }
            }
            #expect(lines.contains("1 not sent yet. Nothing is sent: there is no network."))
            #expect(lines.last == "Everything is sent.")
        }
    }

    @Test func `are sent within the seconds that the system grants`() async throws {
        server.transport.on(.put, "/notes/*").answer(200)
        let words = try await server.open()
        try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
        // block begins
        let left = await words.outbox?.drain(within: .seconds(20))
        print(left?.description ?? "")  // Everything is sent.
        // block ends
        #expect(left?.description == "Everything is sent.")
        #expect(server.transport.lines == ["PUT /notes/9"])
        try await server.close(words)
    }
}
