// Proves that a list of an origin's rows is ordered, paged and refused as specified.

import Foundation
import LarderServer
import Testing

@Suite struct `A list of an origin's rows` {
    private func origin(_ backend: OriginBackend, _ keys: [String]) async throws -> any EditableOrigin {
        let origin = try await backend.open()
        try await origin.createResource(
            .init("things", 1), rows: keys.map { Origin.Row(type: "thing", key: $0, "{\"name\":\"\($0)\"}") })
        return origin
    }

    private func page(
        _ origin: any EditableOrigin, _ query: String
    ) async throws -> (keys: [String], total: Int, hasMore: Bool) {
        let body = try await origin.list(of: .init("things", 1), ListQuery(parsing: query[...]))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let items = try #require(object["items"] as? [[String: Any]])
        return (
            items.compactMap { $0["record_key"] as? String }, try #require(object["total"] as? Int),
            try #require(object["has_more"] as? Bool)
        )
    }

    @Test(arguments: OriginBackend.allCases)
    func `comes in the order of keys, numbers by value and before texts`(backend: OriginBackend) async throws {
        let origin = try await origin(backend, ["b", "10", "9", "01", "-3", "a", "100"])
        let page = try await page(origin, "")
        #expect(page.keys == ["-3", "9", "10", "100", "01", "a", "b"])
        #expect(page.total == 7)
        #expect(!page.hasMore)
    }

    @Test(arguments: OriginBackend.allCases)
    func `is cut into pages by number or by key`(backend: OriginBackend) async throws {
        let origin = try await origin(backend, (1...7).map { String($0) })
        #expect(try await page(origin, "page=0&size=3").keys == ["1", "2", "3"])
        #expect(try await page(origin, "page=2&size=3").keys == ["7"])
        #expect(try await page(origin, "page=3&size=3").keys == [])
        #expect(try await page(origin, "page=9223372036854775807&size=3").keys == [])
        #expect(try await page(origin, "after=3&size=3").keys == ["4", "5", "6"])
        #expect(try await page(origin, "after=3&size=3").hasMore)
        #expect(try await page(origin, "after=4&size=3").keys == ["5", "6", "7"])
        #expect(try await !page(origin, "after=4&size=3").hasMore)
        #expect(try await page(origin, "type=none").keys == [])
    }

    @Test(arguments: ["page=x", "page=-1", "page=1&page=2", "page=1&after=3", "size", "size=0", "size=1001", "after=%"])
    func `is not answered to a query that makes no sense`(_ query: String) {
        #expect(throws: OriginProblem.self) { try ListQuery(parsing: query[...]) }
    }

    @Test(arguments: OriginBackend.allCases)
    func `is not there when its resource is hidden`(backend: OriginBackend) async throws {
        let origin = try await origin(backend, ["1"])
        try await origin.hideResource(.init("things", 1), reason: nil)
        await #expect(throws: OriginProblem.notFound) { try await origin.list(of: .init("things", 1), ListQuery()) }
        await #expect(throws: OriginProblem.notFound) { try await origin.list(of: .init("things", 2), ListQuery()) }
    }

    #if Server
    @Test(arguments: OriginBackend.allCases)
    func `is served over HTTP`(backend: OriginBackend) async throws {
        let origin = try await origin(backend, ["1", "2", "3"])
        try await OriginServer.run(origin) { base in
            let answer = try await send("GET", base + "/api/lists/things/1?page=1&size=2")
            #expect(answer.status == 200)
            #expect(try (answer.object["items"] as? [Any])?.count == 1)
            #expect(try await send("GET", base + "/api/lists/things/1?size=0").status == 422)
            #expect(try await send("GET", base + "/api/lists/things/2").status == 404)
            #expect(try await send("GET", base + "/api/lists/things/x").status == 404)
        }
    }
    #endif
}
