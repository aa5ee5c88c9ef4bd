// Proves that the sync endpoint answers with the pages and errors of the protocol.

#if Server
import Foundation
import LarderServer
import Testing

@Suite struct `The sync endpoint` {
    @Test(arguments: OriginBackend.allCases)
    func `answers with the page that the protocol shows`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        let token = try await origin.bootstrapToken("translations:19")
        try await origin.putRow(.translation(85108, "…"), in: .translation19)
        let answer = try await OriginServer.run(origin) { base in
            try await send("GET", base + "/api/v4/resources/sync?resources=translations:19&sync_token=\(token)")
        }
        #expect(answer.status == 200)
        #expect(answer.fields["cache-control"] == "no-store")
        #expect(answer.fields["content-type"]?.hasPrefix("application/json") == true)
        let next = try #require((try answer.object["sync"] as? [String: Any])?["next_sync_token"] as? String)
        // Stored content has the time of its database.
        let text = String(decoding: answer.body, as: UTF8.self)
        let time = try #require(text.firstMatch(of: /"changed_at":"([0-9T:.-]+Z)"/)?.1)
        let expected = """
            {"sync":{"sync_until_sequence":2,"has_more":false,"next_page_url":null,"next_sync_token":"\(next)",
            "mutations":[{"sequence":2,"type":"ROW_CREATE","resource_group":"translations","resource_id":19,
            "resource_content_id":19,"record_type":"translation","record_key":"85108","source_record_id":85108,
            "changed_at":"\(time)","data":{"id":85108,"text":"…"},"snapshot_url":null,
            "unavailable_reason":null}]}}
            """
        let object = try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary
        #expect(backend != .embedded || time == "2026-05-05T10:05:00Z")
        #expect(try answer.object as NSDictionary == object)
    }

    /// Each kind of change, and which of its members are not null.
    @Test(arguments: OriginBackend.allCases)
    func `gives each kind of change the members that belong to it`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.init("articles", 1), rows: [])
        let token = try await origin.bootstrapToken("articles:*")
        let row = Origin.Row(type: "article_localization", key: "3-en", #"{"article_id":3,"lang":"en"}"#)
        try await origin.putRow(row, in: .init("articles", 1))
        try await origin.putRow(row, in: .init("articles", 1))
        try await origin.deleteRow(row.key, in: .init("articles", 1))
        try await origin.replaceRows(of: .init("articles", 1), with: [])
        try await origin.touchResource(.init("articles", 1))
        try await origin.hideResource(.init("articles", 1), reason: "licence")
        try await origin.publishResource(.init("articles", 1))
        let answer = try await OriginServer.run(origin) { base in
            try await send("GET", base + "/api/v4/resources/sync?resources=articles:*&sync_token=\(token)")
        }
        let sync = try #require(try answer.object["sync"] as? [String: Any])
        let mutations = try #require(sync["mutations"] as? [[String: Any]])
        let always = ["changed_at", "resource_group", "resource_id", "sequence", "type"]
        let row1 = ["record_key", "record_type"]
        let expected: [(String, [String])] = [
            ("ROW_CREATE", row1 + ["data"]), ("ROW_UPDATE", row1 + ["data"]), ("ROW_DELETE", row1),
            ("RESOURCE_INVALIDATE", ["snapshot_url"]), ("RESOURCE_UPDATE", []),
            ("RESOURCE_DELETE", ["unavailable_reason"]), ("RESOURCE_CREATE", ["snapshot_url"]),
        ]
        #expect(mutations.map { $0["type"] as? String } == expected.map(\.0))
        for (mutation, (_, members)) in zip(mutations, expected) {
            let present = mutation.filter { !($0.value is NSNull) }.keys.sorted()
            #expect(present == (always + members).sorted())
            #expect(mutation.count == 12)
        }
        let version = backend == .embedded ? "" : "?version=5.0"
        #expect(mutations[3]["snapshot_url"] as? String == "/api/v4/resources/snapshots/articles/1" + version)
        #expect(mutations[5]["unavailable_reason"] as? String == "licence")
    }

    @Test(arguments: OriginBackend.allCases)
    func `leads through a first sync by the paths it gives`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        for id in 1...7 { try await origin.createResource(.init("tafsirs", Int64(id)), rows: []) }
        let pages = try await OriginServer.run(origin) { base in
            try await run(base, "resources=tafsirs:*&bootstrap=true&per_page=3")
        }
        #expect(pages.map(\.mutations.count) == [3, 3, 1])
        #expect(pages.allSatisfy { $0.sync_until_sequence == 7 })
        let mutations = pages.flatMap(\.mutations)
        #expect(mutations.map(\.sequence) == Array(1...7))
        #expect(mutations.allSatisfy { $0.type == "RESOURCE_CREATE" })
        let version = backend == .embedded ? "" : "?version=7.0"
        let paths = (1...7).map { "/api/v4/resources/snapshots/tafsirs/\($0)" + version }
        #expect(mutations.map(\.snapshot_url) == paths)
        #expect(
            pages.dropLast().allSatisfy { $0.next_page_url?.hasPrefix("/api/v4/resources/sync?cursor=") == true })
    }

    @Test(arguments: OriginBackend.allCases)
    func `answers each error with its status and code`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        for id in 1...3 { try await origin.createResource(.init("tafsirs", Int64(id)), rows: []) }
        let token = try await origin.bootstrapToken("tafsirs:*")
        let cursor = try #require(try await origin.answer("resources=tafsirs:*&bootstrap=true&per_page=1").cursor)
        let expected: [(query: String, status: Int, code: String)] = [
            ("resources=tafsirs:*&sync_token=nonsense", 410, "resync_required"),
            ("resources=tafsirs:1&sync_token=\(token)", 422, "token_filter_mismatch"),
            ("cursor=\(cursor)&resources=tafsirs:1", 422, "cursor_filter_mismatch"),
            ("cursor=\(cursor)&per_page=2", 422, "cursor_per_page_mismatch"),
            ("resources=tafsirs:*&bootstrap=true&per_page=101", 422, "invalid_per_page"),
            ("resources=tafsirs:*&bootstrap=true&per_page=0", 422, "invalid_per_page"),
            ("resources=tafsirs&bootstrap=true", 422, "invalid_resources"),
            ("bootstrap=true", 422, "invalid_resources"),
            ("resources=nonsense:*&bootstrap=true", 422, "unknown_resource_group"),
        ]
        try await OriginServer.run(origin) { base in
            for (query, status, code) in expected {
                let answer = try await send("GET", base + "/api/v4/resources/sync?" + query)
                #expect(answer.status == status, "\(query)")
                #expect(answer.code == code, "\(query)")
                #expect(answer.fields["cache-control"] == "no-store")
            }
            for query in ["", "resources=tafsirs:*", "cursor=nonsense"] where !query.isEmpty {
                let answer = try await send("GET", base + "/api/v4/resources/sync?" + query)
                #expect(answer.status == 400, "\(query)")
                #expect(answer.type == "invalid_request", "\(query)")
            }
        }
    }
}
#endif
