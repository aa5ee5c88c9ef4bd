// Proves that pages of an ordinary JSON interface are requested, decoded and refused with typed errors.

import HTTPTypes
import LarderSync
import LarderTransport
import Testing

@Suite struct `Pages of an ordinary JSON interface` {
    private static func source(
        _ server: CannedServer, _ parameters: JSONPageSource.Parameters = .pages(),
        layout: JSONPageLayout = JSONPageLayout(), path: String = "/users", bodyLimit: Int = 1000
    ) throws -> JSONPageSource {
        let base = BaseURL("http://127.0.0.1/content")
        return JSONPageSource(
            transport: server, base: base, path: path, parameters: parameters, layout: layout, bodyLimit: bodyLimit)
    }

    /// The page that a body holds.
    private static func page(
        _ body: String, _ layout: JSONPageLayout = JSONPageLayout(),
        _ request: PageRequest = .offset(index: 0, size: 2)
    ) async throws -> ListPage {
        let server = CannedServer()
        server.on("/content/users?page=0&size=2", body)
        server.on("/content/users?size=2", body)
        let parameters: JSONPageSource.Parameters = request == .keyset(after: nil, size: 2) ? .keys() : .pages()
        return try await source(server, parameters, layout: layout).page(request)
    }

    private static func error(_ body: String, _ layout: JSONPageLayout = JSONPageLayout()) async throws -> WireError? {
        let error = await #expect(throws: SyncError.self) { try await page(body, layout) }
        guard case .wire(let wire, request: .page)? = error else { return nil }
        return wire
    }

    @Test func `are requested by number, by count or by key`() async throws {
        let server = CannedServer()
        let cases: [(JSONPageSource.Parameters, PageRequest, String)] = [
            (.pages(), .offset(index: 0, size: 7), "/users?page=0&size=7"),
            (.pages(index: "p", size: "per page", first: 1), .offset(index: 2, size: 7), "/users?p=3&per%20page=7"),
            (.offsets(), .offset(index: 3, size: 7), "/users?offset=21&limit=7"),
            (.keys(), .keyset(after: nil, size: 7), "/users?size=7"),
            (.keys(after: "since"), .keyset(after: "a&b=c/é", size: 7), "/users?since=a%26b%3Dc%2F%C3%A9&size=7"),
        ]
        for (parameters, request, path) in cases {
            server.on("/content\(path)", "[]")
            #expect(try await Self.source(server, parameters).page(request).items.isEmpty, "\(path)")
        }
        server.on("/content/users?sort=id&page=0&size=1", "[]")
        _ = try await Self.source(server, path: "/users?sort=id").page(.offset(index: 0, size: 1))
    }

    @Test func `hold items as they stand on the wire, with numbers and texts as keys`() async throws {
        let page = try await Self.page(#"[ {"id": 12, "a":[{"id":9}]}, {"x":{"id":1},"id":"k\u00e9"} ]"#)
        #expect(page.items.map(\.key) == ["12", "ké"])
        #expect(String(decoding: page.items[0].payload, as: UTF8.self) == #"{"id": 12, "a":[{"id":9}]}"#)
        #expect(String(decoding: page.items[1].payload, as: UTF8.self) == #"{"x":{"id":1},"id":"k\u00e9"}"#)
        #expect(page.hasMore == nil)
    }

    @Test func `say where items lie, when they changed and whether more follow`() async throws {
        let body = #"{"n":5,"data":{"more":true,"list":[{"no":1,"at":"1970-01-01T00:00:01Z"},{"no":2,"at":7}]}}"#
        var layout = JSONPageLayout(
            items: ["data", "list"], key: "no", updatedAt: "at", continuation: .flag(["data", "more"]))
        let page = try await Self.page(body, layout)
        #expect(page.items.map(\.updatedAt) == [1000, 7])
        #expect(page.hasMore == true)
        layout.continuation = .total(["n"])
        #expect(try await Self.page(body, layout).hasMore == true)
        #expect(try await Self.page(body.replacing("\"n\":5", with: "\"n\":2"), layout).hasMore == false)
        #expect(try await Self.page(body, layout, .keyset(after: nil, size: 2)).hasMore == nil)
    }

    @Test func `that are not what they should be are typed errors`() async throws {
        let wrapped = JSONPageLayout(items: ["items"], updatedAt: "at", continuation: .flag(["more"]))
        #expect(try await Self.error("{}") == .wrongType(path: "", expected: .array))
        #expect(try await Self.error("[1]") == .wrongType(path: "[0]", expected: .object))
        #expect(try await Self.error(#"[{"id":1},{"no":1}]"#) == .noRecordKey(path: "[1].id"))
        #expect(try await Self.error(#"[{"id":""}]"#) == .noRecordKey(path: "[0].id"))
        #expect(try await Self.error(#"[{"id":null}]"#) == .noRecordKey(path: "[0].id"))
        #expect(try await Self.error(#"[{"id":1.5}]"#) == .outOfRange(path: "[0].id"))
        #expect(try await Self.error(#"[{"id":99999999999999999999}]"#) == .outOfRange(path: "[0].id"))
        #expect(try await Self.error(#"[{"id":1,"id":2}]"#) == .duplicate(path: "[0].id"))
        #expect(try await Self.error(#"{"items":{}}"#, wrapped) == .wrongType(path: "items", expected: .array))
        #expect(try await Self.error(#"{"items":[]}"#, wrapped) == .wrongType(path: "more", expected: .boolean))
        #expect(try await Self.error(#"{"items":[],"items":[]}"#, wrapped) == .duplicate(path: "items"))
        let dated = #"{"items":[{"id":1,"at":"soon"}],"more":false}"#
        #expect(try await Self.error(dated, wrapped) == .invalidDate(path: "items[0].at"))
        for cut in ["", "[", #"[{"id":1}"#, #"[{"id":1"#, #"[{"id":"#, "[]]", "nil"] {
            guard case .json = try await Self.error(cut) else {
                Issue.record("\(cut) is no JSON")
                continue
            }
        }
        let deep = "[{\"id\":1,\"a\":" + String(repeating: "[", count: 300)
        guard case .json = try await Self.error(deep) else {
            Issue.record("deep nesting is refused")
            return
        }
    }

    @Test func `have a bound`() async throws {
        let error = await #expect(throws: SyncError.self) {
            try await Self.page("[" + String(repeating: " ", count: 1000) + "]")
        }
        guard case .transport(.bodyTooLarge(limit: 1000))? = error else {
            Issue.record("another error")
            return
        }
    }

    @Test func `that are refused say why`() async throws {
        let server = CannedServer()
        let source = try Self.source(server)
        let name = "/content/users?page=0&size=2"
        server.on(name, status: 429, headers: [.retryAfter: "30"], "{}")
        guard case .rateLimited(_, retryAfter: 30)? = await Self.refusal(source) else {
            Issue.record("429")
            return
        }
        server.on(name, status: 503, "<html>")
        guard case .unavailable(let problem, retryAfter: nil)? = await Self.refusal(source) else {
            Issue.record("503")
            return
        }
        #expect(problem.status == 503)
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        server.on(name, status: 503, headers: [.retryAfter: "Sun, 06 Nov 1994 08:50:37 GMT", .date: date], "")
        guard case .unavailable(_, retryAfter: 60)? = await Self.refusal(source) else {
            Issue.record("503 with a date")
            return
        }
        server.on(name, status: 503, headers: [.retryAfter: date], "")
        guard case .unavailable(_, retryAfter: nil)? = await Self.refusal(source) else {
            Issue.record("503 with a date and no other to compare it with")
            return
        }
        server.on(name, status: 200, headers: [.contentType: "text/html"], "<html>sign in</html>")
        guard case .intercepted(status: 200)? = await Self.refusal(source) else {
            Issue.record("a page of a captive portal")
            return
        }
        server.on(name, status: 410, "")
        guard case .refused? = await Self.refusal(source) else {
            Issue.record("410")
            return
        }
        server.on(name, status: 404, "")
        guard case .refused? = await Self.refusal(source) else {
            Issue.record("404")
            return
        }
        // Once more with new credentials.
        server.on(name, [.init(status: 401, body: []), .init(status: 200, body: Array("[]".utf8))])
        #expect(try await source.page(.offset(index: 0, size: 2)).items.isEmpty)
        server.on(name, status: 401, "{}")
        guard case .unauthorized? = await Self.refusal(source) else {
            Issue.record("401")
            return
        }
    }

    private static func refusal(_ source: JSONPageSource) async -> SyncError? {
        await #expect(throws: SyncError.self) { try await source.page(.offset(index: 0, size: 2)) }
    }
}
