// Proves that the model server has the wire's form and the protocol's rules.

import LarderSimulator
import LarderSync
import LarderTesting
import Testing

@Suite struct `A model server` {
    typealias ResourceID = ModelServer.ResourceID
    typealias RowID = ModelServer.RowID

    let translation = ResourceID("translations", 19)
    let notes = ResourceID("notes", 1)

    func server(_ mutations: [ModelMutation], tokenAhead: ModelServer.TokenAhead = .unavailable) -> ModelServer {
        var server = ModelServer(shape: ModelServer.Shape(tokenAhead: tokenAhead))
        for mutation in mutations {
            let isDone = server.apply(mutation)
            #expect(isDone, "\(mutation)")
        }
        return server
    }

    @Test func `a page has exactly the wire's form`() {
        let server = server([
            .create(translation, []), .put(translation, RowID("translation", "7")), .hide(translation),
        ])
        let token = server.answer("/api/v4/resources/sync?resources=translations%3A19&bootstrap=true")
        let hash = token.text.split(separator: "-").last?.prefix { $0 != "\"" } ?? ""
        #expect(
            token.text == """
                {"sync":{"sync_until_sequence":3,"has_more":false,"next_page_url":null,\
                "next_sync_token":"t-0-3-\(hash)","mutations":[]}}
                """)
        let page = server.answer(
            "/api/v4/resources/sync?resources=translations:19&sync_token=t-0-1-\(hash)&per_page=1")
        #expect(page.status == 200)
        #expect(
            page.text == """
                {"sync":{"sync_until_sequence":3,"has_more":true,\
                "next_page_url":"/api/v4/resources/sync?cursor=c-i-0-3-2-1-translations:19","next_sync_token":null,\
                "mutations":[{"sequence":2,"type":"ROW_CREATE","resource_group":"translations","resource_id":19,\
                "resource_content_id":19,"record_type":"translation","record_key":"7","source_record_id":7,\
                "changed_at":"2026-01-01T00:00:02Z","data":{"id":7,"schema":1,"version":1},"snapshot_url":null,\
                "unavailable_reason":null}]}}
                """)
        let last = server.answer("/api/v4/resources/sync?cursor=c-i-0-3-2-1-translations:19")
        #expect(
            last.text == """
                {"sync":{"sync_until_sequence":3,"has_more":false,"next_page_url":null,\
                "next_sync_token":"t-0-3-\(hash)","mutations":[{"sequence":3,"type":"RESOURCE_DELETE",\
                "resource_group":"translations","resource_id":19,"resource_content_id":19,"record_type":null,\
                "record_key":null,"source_record_id":null,"changed_at":"2026-01-01T00:00:03Z","data":null,\
                "snapshot_url":null,"unavailable_reason":"hidden"}]}}
                """)
    }

    @Test func `a snapshot has exactly the wire's form`() {
        let server = server([
            .create(ResourceID("recitations", 2), [RowID("audio_file", "5")]), .touch(ResourceID("recitations", 2)),
        ])
        let copy = server.answer("/api/v4/resources/snapshots/recitations/2")
        #expect(copy.status == 200)
        #expect(
            copy.text == """
                {"resource_group":"recitations","resource_id":2,"resource_content_id":null,"schema_version":1,\
                "sync_sequence":2,"records":[{"record_type":"audio_file","id":5,"schema":1,"version":1}]}
                """)
        #expect(copy.headers.contains { $0 == ("cache-control", "no-store") })
    }

    @Test(arguments: [
        ("snapshots/translations/9", 404, "snapshot_not_found"),
        ("snapshots/poems/1", 422, "unknown_resource_group"),
        ("snapshots/translations/0", 404, "not_found"),
        ("elsewhere", 404, "not_found"),
        ("sync?resources=translations:1&bootstrap=true&per_page=101", 422, "invalid_per_page"),
        ("sync?resources=translations:1&bootstrap=true&per_page=0", 422, "invalid_per_page"),
        ("sync?resources=translations&bootstrap=true", 422, "invalid_resources"),
        ("sync?bootstrap=true", 422, "invalid_resources"),
        ("sync?resources=translations:1", 400, "invalid_request"),
        ("sync?resources=translations:1&sync_token=t-0-1-2", 422, "token_filter_mismatch"),
        ("sync?resources=translations:1&sync_token=nonsense", 410, "resync_required"),
        ("sync?cursor=nonsense", 400, "invalid_request"),
        ("sync?cursor=c-i-0-1-0-5-notes:1&per_page=6", 422, "cursor_per_page_mismatch"),
        ("sync?cursor=c-i-0-1-0-5-notes:1&resources=notes:2", 422, "cursor_filter_mismatch"),
        ("sync?cursor=c-i-3-1-0-5-notes:1", 410, "resync_required"),
    ])
    func `a request that cannot be served gets the protocol's status and code`(
        _ path: String, _ status: Int, _ code: String
    ) {
        let answer = server([.create(notes, [])]).answer("/api/v4/resources/" + path)
        #expect(answer.status == status)
        #expect(ServerProblem(status: answer.status, body: answer.body).code == code)
    }

    @Test func `changes of a hidden resource are never reported, and its next creation brings them`() throws {
        let server = server([
            .create(notes, [RowID("entry", "a")]), .hide(notes), .put(notes, RowID("entry", "b")), .publish(notes),
        ])
        let token = try #require(issuedToken(of: "notes:*", at: 1))
        let page = try decoded(
            server.answer(
                "/api/v4/resources/sync?resources=notes:*&sync_token=\(token)"))
        #expect(page.mutations.map(\.type) == [.resourceDelete, .resourceCreate])
        #expect(page.mutations.map(\.sequence) == [2, 3])
        #expect(server.expectedRows(for: "notes:*")[notes]?.count == 2)
        #expect(server.states(of: notes, at: 2) == [nil])
    }

    @Test func `a run keeps its bound, and what changes meanwhile waits for the next`() throws {
        var server = server((1...5).map { .create(ResourceID("notes", $0), []) })
        var page = try decoded(server.answer("/api/v4/resources/sync?resources=notes:*&bootstrap=true&per_page=2"))
        server.apply(.create(ResourceID("notes", 6), []))
        server.apply(.delete(ResourceID("notes", 4)))
        var listed = page.mutations.map(\.resource.id)
        while let next = page.nextPageURL {
            page = try decoded(server.answer(next))
            #expect(page.syncUntilSequence == 5)
            #expect(page.mutations.allSatisfy { $0.sequence <= 5 })
            listed += page.mutations.map(\.resource.id)
        }
        #expect(listed == [1, 2, 3, 5])
        #expect(page.nextSyncToken.flatMap(ModelTicket.sequence(ofToken:)) == 5)
    }

    @Test func `tokens whose changes are forgotten are refused`() throws {
        let server = server([.create(notes, []), .touch(notes), .touch(notes), .forgetLog(before: 3)])
        for (sequence, status) in [(1, 410), (2, 200), (3, 200), (4, 410)] {
            let token = try #require(issuedToken(of: "notes:1", at: Int64(sequence)))
            let answer = server.answer("/api/v4/resources/sync?resources=notes:1&sync_token=\(token)")
            #expect(answer.status == status, "a token of \(sequence)")
        }
    }

    @Test func `a restored server goes back, refuses earlier tokens and remembers both timelines`() throws {
        var server = server([.create(notes, [RowID("entry", "a")]), .put(notes, RowID("entry", "b"))])
        let lost = server.expectedRows(for: "notes:*")[notes]
        server.apply(.restore(toSequence: 1))
        #expect(server.timeline == 1)
        server.apply(.put(notes, RowID("entry", "c")))
        #expect(server.sequence == 2)
        let now = server.expectedRows(for: "notes:*")[notes]
        #expect(server.states(of: notes, at: 2) == [lost, now])
        #expect(server.wasState(lost, of: notes, at: 2))
        #expect(!server.wasState(now, of: notes, at: 1))
        let token = try #require(issuedToken(of: "notes:1", at: 1))
        #expect(server.answer("/api/v4/resources/sync?resources=notes:1&sync_token=\(token)").status == 410)
    }

    @Test func `a restored server that does not notice answers with a lower bound`() throws {
        var server = server([.create(notes, []), .touch(notes), .touch(notes)], tokenAhead: .answered)
        server.apply(.restore(toSequence: 1))
        let token = try #require(issuedToken(of: "notes:1", at: 3))
        let page = try decoded(server.answer("/api/v4/resources/sync?resources=notes:1&sync_token=\(token)"))
        #expect(page.syncUntilSequence == 1)
        #expect(page.mutations.isEmpty)
    }

    @Test func `a replica that lags answers as of then, including a snapshot that does not exist yet`() throws {
        let server = server([.create(notes, []), .put(notes, RowID("entry", "a")), .create(translation, [])])
        let copy = server.answer("/api/v4/resources/snapshots/notes/1", lag: 2)
        #expect(copy.text.contains("\"sync_sequence\":1,\"records\":[]"))
        #expect(server.answer("/api/v4/resources/snapshots/translations/19", lag: 1).status == 404)
        let token = try #require(issuedToken(of: "notes:1", at: 3))
        #expect(server.answer("/api/v4/resources/sync?resources=notes:1&sync_token=\(token)", lag: 1).status == 503)
        #expect(server.answer("/api/v4/resources/sync?cursor=c-i-0-3-0-5-notes:1", lag: 1).status == 503)
        let page = try decoded(server.answer("/api/v4/resources/sync?resources=notes:1&bootstrap=true", lag: 1))
        #expect(page.syncUntilSequence == 2)
    }

    @Test func `a payload belongs to one row only`() throws {
        let server = server([.create(notes, [RowID("entry", "a")]), .put(notes, RowID("entry", "b"))])
        let payload = try #require(server.expectedRows(for: "notes:1")[notes]?[RowID("entry", "b")])
        #expect(server.wasEver(payload, at: RowID("entry", "b"), of: notes))
        #expect(!server.wasEver(payload, at: RowID("entry", "a"), of: notes))
        #expect(!server.wasEver("{}", at: RowID("entry", "b"), of: notes))
    }

    /// The token that a run of `filter` with that bound ends with.
    private func issuedToken(of filter: String, at sequence: Int64) -> String? {
        var empty = ModelServer()
        let touched = ResourceID("recitations", 1)
        if sequence > 0 { empty.apply(.create(touched, [])) }
        while empty.sequence < sequence { empty.apply(.touch(touched)) }
        return try? decoded(empty.answer("/api/v4/resources/sync?resources=\(filter)&bootstrap=true")).nextSyncToken
    }

    private func decoded(_ answer: ModelAnswer) throws -> SyncPage {
        try #require(answer.status == 200, "\(answer.text)")
        return try SyncPage(decoding: answer.body)
    }
}
