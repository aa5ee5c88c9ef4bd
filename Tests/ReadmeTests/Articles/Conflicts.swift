// Conflicts: proves what the article says about writes that the server refuses because its version has changed.

import Foundation
import Larder
import LarderOutbox
import LarderServer
import LarderStore
import LarderTesting
import Testing

struct ConflictingVisits {
    // block begins
    struct Visit: LocalRow {
        static let schema = RowSchema("visit", in: .resource("visits/1"))
        var id: String, status: String, notes: String
        var approvedBy: String?
    }

    func open(
        _ location: CacheLocation, services: CacheServices, deciding policy: ConflictPolicy
    ) async throws -> ContentCache {
        var options = CacheOptions()
        options.conflicts = ConflictResolver(policy)
        return try await ContentCache.open(
            location, content: "https://api.example.org/content", writes: "https://api.example.org",
            rows: [Visit.self], services: services, options: options)
    }
    // block ends
}

extension ConflictingVisits.Visit: Equatable {}

@Suite(.timeLimit(.minutes(2))) struct `Conflicts of writes` {
    private typealias Note = GettingStarted.Note
    private typealias Visit = ConflictingVisits.Visit

    private let server: ArticleServer
    private let code = ConflictingVisits()

    /// A visit that another device has approved since it was synced. The server refuses the first write of it.
    init() throws {
        server = try ArticleServer()
        try server.origin.createResource(
            .init("visits", 1),
            rows: [.init(type: "visit", key: "7", #"{"id":"7","status":"open","notes":""}"#)])
        server.transport.on(.put, "/visits/7").answer(409).then(200)
        server.transport.on(.get, "/visits/7").answer(
            200, #"{"id":"7","status":"open","notes":"","approvedBy":"lead"}"#, [.eTag: "\"2\""])
    }

    /// Runs `body` with the synced visit and an outbox that resolves conflicts.
    private func resolving(
        _ policy: ConflictPolicy, _ body: (ContentCache, Outbox) async throws -> Void
    ) async throws {
        let visits = try await code.open(server.location, services: server.services, deciding: policy)
        let outbox = try #require(visits.outbox)
        try await visits.session.signIn(as: "user-1")
        try await server.running(visits) {
            for await _ in visits.keep("visits:1") {}
            try await body(visits, outbox)
        }
    }

    private func visits(inBodiesOf method: HTTPRequest.Method) throws -> [Visit] {
        try server.bodies(method).map { try JSONDecoder().decode(Visit.self, from: Data($0.utf8)) }
    }

    private func putNote(_ words: ContentCache, _ show: (String) -> Void) async throws {
        // block begins
        let sent = try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
        if case .rejected(let reason) = try await sent.outcome {
            show("Not saved: \(reason)")  // the server has another version (409)
            _ = try await words.content?.sync("notes:1")  // the server's version, for the user to see
        }
        // block ends
    }

    @Test func `are refusals, and are undone, where nothing resolves them`() async throws {
        server.transport.on(.put, "/notes/*").answer(409)
        let words = try await server.open()
        try await server.running(words) {
            for await _ in words.keep("notes:1") {}
            try server.origin.putRow(
                .init(type: "note", key: "9", #"{"id":"9","text":"buy cake"}"#), in: .init("notes", 1))
            var lines: [String] = []
            try await putNote(words) { lines.append($0) }
            #expect(lines == ["Not saved: the server has another version (409)"])
            #expect(try words.rows(Note.self).map(\.text) == ["buy cake"])
        }
    }

    @Test func `are merged on the condition of the server's version, and can be undone`() async throws {
        try await resolving(.threeWayMerge(otherwise: .remote)) { visits, outbox in
            // block begins
            guard var visit = try visits.row(Visit.self, "7") else { return }
            visit.status = "done"
            let sent = try await visits.put(visit, to: "/visits/7")
            print(try await sent.outcome)  // accepted: the merge of both versions
            // block ends
            let merged = Visit(id: "7", status: "done", notes: "", approvedBy: "lead")
            #expect(try self.visits(inBodiesOf: .put) == [visit, merged])
            #expect(server.transport.recorded.last?.request.headerFields[.ifMatch] == "\"2\"")
            #expect(try visits.row(Visit.self, "7") == merged && !visits.isPending(merged))
            // block begins
            for conflict in try visits.store.read({ view in try view.conflicts() }) {
                print(conflict.policy, conflict.resolution)  // three-way-merge merged
                let undone = try await outbox.undo(conflict)  // puts the server's version back
                print(try await outbox.outcome(of: undone.id))  // accepted
            }
            // block ends
            let theirs = Visit(id: "7", status: "open", notes: "", approvedBy: "lead")
            #expect(try self.visits(inBodiesOf: .put).last == theirs)
        }
    }

    @Test func `are decided again where the server refuses the condition`() async throws {
        server.transport.on(.put, "/visits/7").answer(409).then(412).then(200)
        try await resolving(.fieldMerge(local: ["status"])) { visits, _ in
            let sent = try await visits.put(Visit(id: "7", status: "done", notes: "mine"), to: "/visits/7")
            #expect(try await sent.outcome == .accepted)
            let merged = Visit(id: "7", status: "done", notes: "", approvedBy: "lead")
            #expect(try self.visits(inBodiesOf: .put).dropFirst() == [merged, merged])
            #expect(try visits.row(Visit.self, "7") == merged)
        }
    }

    @Test func `are decided by a rule of the app`() async throws {
        // block begins
        let approvalWins = ConflictPolicy("approval-wins") { conflict in
            guard let payload = conflict.remote?.payload else { return .keepRemote }
            let theirs = try JSONDecoder().decode(Visit.self, from: Data(payload))
            return theirs.approvedBy == nil ? .keepLocal : .keepRemote
        }
        // block ends
        try await resolving(approvalWins) { visits, _ in
            let sent = try await visits.put(Visit(id: "7", status: "done", notes: ""), to: "/visits/7")
            #expect(try await sent.outcome == .removed("resolved"))
            #expect(try visits.row(Visit.self, "7")?.status == "open")
            #expect(try visits.store.read { view in try view.conflicts().map(\.policy) } == ["approval-wins"])
        }
    }

    @Test func `wait for the user where the policy says so`() async throws {
        try await resolving(.host) { visits, outbox in
            let visit = Visit(id: "7", status: "done", notes: "")
            let sent = try await visits.put(visit, to: "/visits/7")
            for await status in outbox.statuses() where status.conflicted == 1 { break }
            #expect(try visits.row(Visit.self, "7") == visit && visits.isPending(visit))
            var shown: [[UInt8]?] = []
            func ask(_ ours: [UInt8]?, _ theirs: [UInt8]?) -> ConflictResolution {
                shown = [ours, theirs]
                return .keepLocal
            }
            // block begins
            for entry in try visits.store.read({ view in try view.outboxEntries() })
            where entry.delivery.state == .conflicted {
                let conflict = try await outbox.conflict(of: entry.id)  // requests the server's version
                let resolution = ask(conflict.local.payload, conflict.remote?.payload)
                try await outbox.resolve(conflict, with: resolution)
            }
            // block ends
            let decoded = try shown.map { try JSONDecoder().decode(Visit.self, from: Data($0 ?? [])) }
            #expect(decoded.map(\.approvedBy) == [nil, "lead"])
            #expect(try await sent.outcome == .accepted)
            #expect(try self.visits(inBodiesOf: .put) == [visit, visit])
        }
    }
}
