// Proves that the snapshot endpoint streams resource snapshots and reports errors as specified.

#if Server
import Foundation
import LarderServer
import Testing

@Suite struct `The snapshot endpoint` {
    @Test(arguments: OriginBackend.allCases)
    func `streams a snapshot of many rows`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: (1...20_000).map { .translation($0) })
        let answer = try await OriginServer.run(origin) { base in
            try await send("GET", base + "/api/v4/resources/snapshots/translations/19")
        }
        #expect(answer.status == 200)
        #expect(answer.fields["cache-control"] == "no-store")
        let object = try answer.object
        #expect(object["resource_group"] as? String == "translations")
        #expect(object["resource_id"] as? Int == 19)
        #expect(object["resource_content_id"] as? Int == 19)
        #expect(object["schema_version"] as? Int == 1)
        #expect(object["sync_sequence"] as? Int == 1)
        let records = try #require(object["records"] as? [[String: Any]])
        #expect(records.map { $0["id"] as? Int } == Array(1...20_000))
    }

    @Test(arguments: OriginBackend.allCases)
    func `answers each error with its status and code`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        try await origin.hideResource(.translation19, reason: nil)
        try await origin.createResource(.init("translations", 18), rows: [])
        let expected: [(path: String, status: Int, code: String)] = [
            ("translations/19", 404, "snapshot_not_found"), ("translations/20", 404, "snapshot_not_found"),
            ("translations/0", 404, "snapshot_not_found"), ("translations/x", 404, "snapshot_not_found"),
            ("translations/+18", 404, "snapshot_not_found"), ("translations/018", 404, "snapshot_not_found"),
            ("nonsense/1", 422, "unknown_resource_group"), ("nonsense/x", 422, "unknown_resource_group"),
        ]
        try await OriginServer.run(origin) { base in
            for (path, status, code) in expected {
                let answer = try await send("GET", base + "/api/v4/resources/snapshots/" + path)
                #expect(answer.status == status, "\(path)")
                #expect(answer.code == code, "\(path)")
            }
        }
    }
}
#endif
