// Proves that the inspector answers its own pages only, changes nothing unasked, and shows markup of a store as text.
import Foundation
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

@Suite struct `The inspector refuses` {
    @Test(arguments: [
        "/", "/secret", "/secre/resources", "/secrets/", "/Secret/", "//secret/", "/%73ecret/", "/secret%2F", "",
    ])
    func `a request without the token`(target: String) async throws {
        let inspected = try await InspectedStore()
        let response = inspected.inspector.respond(to: InspectorRequest(target: target, host: "127.0.0.1:8080"))
        #expect(response.status == 403 && !response.text.contains("translations"))
    }

    @Test(arguments: [
        nil, "", "evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8080.evil.example",
        "[::1]:8080", "0.0.0.0:8080",
    ])
    func `a host that is not its own`(host: String?) async throws {
        let inspected = try await InspectedStore()
        let response = inspected.inspector.respond(to: InspectorRequest(target: "/secret/", host: host))
        #expect(response.status == 421 && !response.text.contains("translations"))
    }

    @Test(arguments: ["cross-site", "same-site", "SAME-ORIGIN", "x"])
    func `a request that another page caused`(site: String) async throws {
        let inspected = try await InspectedStore()
        let request = InspectorRequest(target: "/secret/", host: "localhost:8080", fetchSite: site)
        #expect(inspected.inspector.respond(to: request).status == 403)
    }

    @Test(arguments: [nil, "null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081"])
    func `a form of another page`(origin: String?) async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        let request = InspectorRequest(
            method: "POST", target: "/secret/drop", host: "127.0.0.1:8080", origin: origin,
            body: bytes("entry=\(InspectedStore.failed)"))
        #expect(inspected.inspector.respond(to: request).status == 403)
        #expect(try inspected.store.read { view in try view.outboxEntry(InspectedStore.failed) } != nil)
    }

    @Test func `changes, unless they are allowed`() async throws {
        let inspected = try await InspectedStore()
        let before = try inspected.store.read { view in view.commit }
        #expect(inspected.post("drop", InspectedStore.failed).status == 403)
        #expect(!inspected.get(.outbox).text.contains("<form"))
        #expect(try inspected.store.read { view in view.commit } == before)
        let request = InspectorRequest(method: "DELETE", target: "/secret/", host: "127.0.0.1:8080")
        #expect(inspected.inspector.respond(to: request).status == 405)
    }

    @Test func `to drop a write that is being sent`() async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        let response = inspected.post("drop", InspectedStore.sending)
        #expect(response.status == 404 && response.text.contains("is being sent: nothing was dropped"))
    }

    @Test func `nothing that its own pages request`() async throws {
        let inspected = try await InspectedStore()
        for site in [nil, "none", "same-origin"] {
            let request = InspectorRequest(target: "/secret/", host: "localhost:8080", fetchSite: site)
            #expect(inspected.inspector.respond(to: request).status == 200)
        }
    }
}

@Suite struct `Texts of a store in the inspector` {
    @Test func `are never markup`() async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        let row = RowKey(
            resource: ResourceKey("notes", 1), type: InspectedStore.hostile, key: InspectedStore.hostile)
        let pages: [(InspectorPage, [(String, String?)])] = [
            (.resource, InspectorLink.values(of: row.resource)), (.row, InspectorLink.values(of: row)),
            (.outbox, []), (.write, [("id", InspectedStore.failed.description)]), (.problems, []), (.overview, []),
            (.resource, [("group", InspectedStore.hostile), ("id", "1")]),
            (.resource, InspectorLink.values(of: row.resource) + [("of", InspectedStore.hostile)]),
            (.responses, [("contains", InspectedStore.hostile)]),
            (.query, [("tables", InspectedStore.hostile), ("statement", InspectedStore.hostile)]),
        ]
        for (page, values) in pages {
            let text = inspected.get(page, values).text
            #expect(!text.contains("<script>") && !text.contains("\u{202E}"), "\(page)")
            #expect(text.components(separatedBy: "<script").count == 2, "\(page) has a script of its own only")
        }
        #expect(inspected.get(.row, InspectorLink.values(of: row)).text.contains("&lt;script&gt;"))
    }

    @Test func `are escaped wherever they are interpolated`() {
        let hostile = "<a b=\"c\" d='e'>&\u{7}"
        let markup: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
        #expect(markup.text.hasPrefix("<p title=\"&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;"), "\(markup.text)")
        #expect(!markup.text.contains("\u{7}"))
        let link = InspectorLink(.row, [("key", "a&b=c/é\0\"<")]).target
        #expect(link == "./row?key=a%26b%3Dc%2F%C3%A9%00%22%3C")
        #expect(FormValues(parsing: link.split(separator: "?")[1])["key"] == "a&b=c/é\0\"<")
    }

    @Test func `are shown under a policy that allows nothing from elsewhere`() {
        let policy = InspectorResponse.fields.first { $0.0 == "Content-Security-Policy" }?.1 ?? ""
        #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"))
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"))
    }
}
