// Proves that a content loader creates or replaces resources from JSON lines.

import LarderServer
import Testing

@Suite struct `A content loader` {
    private func load(_ text: String, into origin: any EditableOrigin) async throws {
        var loader = ContentLoader(into: origin)
        try await loader.add(jsonLines: Array(text.utf8))
        try await loader.commit()
    }

    @Test(arguments: OriginBackend.allCases)
    func `creates each resource once, in the order of the lines`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await load(
            """
            {"group":"translations","resource_id":19,"record_type":"translation","record_key":"1","data":{"id":1}}

            {"group":"wordnet","resource_id":1,"record_type":"synset","record_key":"x","data":{ "a" : "\\u00e9" }}\r
            {"group":"translations","resource_id":19,"data":{"id":2}}
            """, into: origin)
        #expect(try await origin.changes.map(\.resource) == [.translation19, .init("wordnet", 1)])
        #expect(try await origin.changes.map(\.kind) == [.resourceCreate, .resourceCreate])
        #expect(try await origin.rows(of: .translation19)?.map(\.key.key) == ["1", "2"])
        #expect(
            (try await origin.rows(of: .init("wordnet", 1)))?.map { String(decoding: $0.body, as: UTF8.self) }
                == [#"{"record_type":"synset","record_key":"x", "a" : "\u00e9" }"#])
    }

    @Test(arguments: OriginBackend.allCases)
    func `replaces the rows of a resource that is there`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [.translation(1)])
        try await load(#"{"group":"translations","resource_id":19,"data":{"id":2}}"#, into: origin)
        #expect(try await origin.rows(of: .translation19)?.map(\.key.key) == ["2"])
        #expect(try await origin.changes.last?.kind == .resourceInvalidate)
    }

    @Test(
        arguments: OriginBackend.allCases,
        [
            ("nonsense", "line 2: no JSON object: JSON: an unexpected byte at byte 1"),
            (#"{"resource_id":1,"data":{}}"#, "line 2: group is missing or of the wrong kind"),
            (#"{"group":"a","data":{}}"#, "line 2: resource_id is missing or of the wrong kind"),
            (#"{"group":"a","resource_id":1.5,"data":{}}"#, "line 2: resource_id is missing or of the wrong kind"),
            (#"{"group":"a","resource_id":1,"data":[]}"#, "line 2: data is missing or of the wrong kind"),
            (
                #"{"group":"a","resource_id":1,"record_key":1,"data":{}}"#,
                "line 2: record_key is missing or of the wrong kind"
            ),
            (#"{"group":"a","resource_id":1,"payload":{}}"#, "line 2: payload is no member of a row"),
            (
                #"{"group":"a","resource_id":1,"record_type":"t","data":{}}"#,
                "line 2: record_type or record_key is missing"
            ),
            (#"{"group":"a b","resource_id":1,"data":{}}"#, "line 2: not a group's name"),
            (#"{"group":"a","resource_id":0,"data":{}}"#, "line 2: 0 is no resource id: ids start at 1"),
        ])
    func `names the line that it refuses, and changes nothing`(
        backend: OriginBackend, _ refused: (line: String, message: String)
    ) async throws {
        let origin = try await backend.open()
        let good = #"{"group":"translations","resource_id":19,"data":{"id":1}}"#
        let error = await #expect(throws: LoadError.self) { try await load(good + "\n" + refused.line, into: origin) }
        #expect(error?.description == refused.message)
        #expect(try await origin.sequence == 0)
    }
}
