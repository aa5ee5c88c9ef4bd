// Proves that the administration endpoints make, load and forget changes, and report refusals.

#if Server
import LarderServer
import Testing

@Suite struct `Administration over HTTP` {
    private let configuration = OriginConfiguration(isAdministrable: true)

    private func text(_ answer: Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test(arguments: OriginBackend.allCases)
    func `makes every kind of change`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await OriginServer.run(origin, configuration) { base in
            let resource = base + "/admin/resources/things/1"
            let row = resource + "/rows/thing/a%2Fb"
            let commands: [(method: String, url: String, body: String?, answer: String)] = [
                ("PUT", resource, nil, #"{"sequence":1}"#), ("PUT", row, #"{"n":1}"#, #"{"sequence":2}"#),
                ("PUT", row, #"{"n":2}"#, #"{"sequence":3}"#), ("DELETE", row, nil, #"{"sequence":4}"#),
                ("DELETE", row, nil, #"{"sequence":null}"#), ("POST", resource + "/touch", nil, #"{"sequence":5}"#),
                ("POST", resource + "/hide?reason=no%20licence", nil, #"{"sequence":6}"#),
                ("POST", resource + "/publish", nil, #"{"sequence":7}"#),
                ("GET", base + "/admin/status", nil, #"{"sequence":7,"public_resources":1}"#),
            ]
            for command in commands {
                let answer = try await send(command.method, command.url, body: command.body)
                #expect(answer.status == 200)
                #expect(text(answer) == command.answer)
            }
        }
        let names = try await origin.changes.map(\.kind.name)
        #expect(
            names == [
                "RESOURCE_CREATE", "ROW_CREATE", "ROW_UPDATE", "ROW_DELETE", "RESOURCE_UPDATE", "RESOURCE_DELETE",
                "RESOURCE_CREATE",
            ])
        #expect(try await origin.changes[3].kind == .rowDelete(.init("thing", "a/b")))
        #expect(try await origin.changes[5].kind == .resourceDelete(reason: "no licence"))
    }

    @Test(arguments: OriginBackend.allCases)
    func `loads JSON lines, all or none`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        let lines = """
            {"group":"translations","resource_id":19,"data":{"id":1}}
            {"group":"translations","resource_id":19,"data":{"id":2}}

            """
        try await OriginServer.run(origin, configuration) { base in
            let refused = try await send("POST", base + "/admin/content", body: lines + "nonsense")
            #expect(refused.status == 422)
            #expect(text(refused).contains("line 3"))
            #expect(try await origin.sequence == 0)
            #expect(try await send("POST", base + "/admin/content", body: lines).status == 200)
            #expect(try await origin.rows(of: .translation19)?.count == 2)
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `forgets changes and tokens`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        let token = try await origin.bootstrapToken("translations:*")
        try await OriginServer.run(origin, configuration) { base in
            let sync = base + "/api/v4/resources/sync?resources=translations:*&sync_token="
            let forgotten = try await send("POST", base + "/admin/forget?before=1")
            #expect(forgotten.status == 200)
            #expect(try await send("GET", sync + token).status == 200)
            #expect(try await send("POST", base + "/admin/invalidate-tokens").status == 200)
            #expect(try await send("GET", sync + token).code == "resync_required")
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `says what it refuses`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        let row = "/rows/translation/7"
        let expected: [(method: String, path: String, body: String?, status: Int)] = [
            ("PUT", "/resources/translations/19", nil, 409), ("POST", "/resources/translations/19/publish", nil, 409),
            ("POST", "/resources/translations/20/hide", nil, 404), ("PUT", "/resources/translations/0", nil, 422),
            ("PUT", "/resources/translations/20" + row, #"{"id":7}"#, 404),
            ("PUT", "/resources/translations/19" + row, #"{"id":8}"#, 422),
            ("PUT", "/resources/translations/19" + row, "{", 422),
            ("POST", "/resources/translations/19/nonsense", nil, 404), ("POST", "/forget", nil, 400),
            ("DELETE", "/resources/translations/x" + row, nil, 404), ("POST", "/nonsense", nil, 404),
        ]
        try await OriginServer.run(origin, configuration) { base in
            for request in expected {
                let answer = try await send(request.method, base + "/admin" + request.path, body: request.body)
                #expect(answer.status == request.status, "\(request.method) \(request.path)")
                #expect(answer.type != nil, "\(request.method) \(request.path)")
            }
        }
        #expect(try await origin.sequence == 1)
    }
}
#endif
