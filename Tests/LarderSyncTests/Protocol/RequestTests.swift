// Proves that requests have the paths, credentials, filters and parameters that the protocol defines.

import HTTPTypes
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite struct `Requests` {
    private static let token = HTTPField.Name("x-auth-token")!
    private static let client = HTTPField.Name("x-client-id")!

    /// §1.1.15, §1.1.16, §1.1.23, §1.2.1, §1.2.3, §1.2.4, §1.2.5
    @Test(arguments: Wiring.allCases)
    func `go to the server's paths, appended to the base as they are`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:*")
            let requests = fixture.script.recorded.map(\.request)
            #expect(requests.allSatisfy { $0.method == .get && $0.authority == fixture.base.authority })
            #expect(requests[0].path?.hasPrefix("/content/api/v4/resources/sync?") == true)
            let version = wiring.namesVersions ? "?version=1.0" : ""
            #expect(requests[1].path == "/content/api/v4/resources/snapshots/translations/19" + version)
        }
    }

    /// §1.2.6
    @Test(arguments: Wiring.allCases)
    func `carry the credentials, for pages and snapshots alike`(_ wiring: Wiring) async throws {
        let accepted = OriginConfiguration.Credentials(authToken: "secret", clientID: "me")
        try await wiring.run(credentials: accepted) { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            let fields: HTTPFields = [Self.token: "secret", Self.client: "me"]
            try await fixture.sync("translations:*", credentials: FixedCredentials(fields))
            let requests = fixture.script.recorded.map(\.request)
            #expect(requests.count == 2)
            #expect(requests.allSatisfy { $0.headerFields == fields })
        }
    }

    /// §1.2.7
    @Test func `are never answered from memory`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 1)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:*")
        try await fixture.origin.replace(19, with: Origin.translations(1, "new"))
        try await fixture.sync("translations:*")
        #expect(fixture.script.lines.filter { $0.contains("snapshots") }.count == 2)
        #expect(fixture.script.lines.count == 5)
    }

    /// §1.1.25, §1.3.1, §1.3.6, §1.3.7
    @Test(arguments: Wiring.allCases)
    func `name the filter in canonical form, with which alone its token is sent`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(1, count: 1)
            try await fixture.origin.addTranslations(6, count: 1)
            try await fixture.sync("translations:6,1,6;tafsirs:*")
            #expect(try await fixture.sync("tafsirs:*;translations:1,6").kind == .incremental)
            #expect(try await fixture.sync("translations:1").kind == .bootstrap)
            let firsts = fixture.script.lines.filter { $0.contains("/sync?") }
            #expect(firsts[0].contains("resources=tafsirs%3A%2A%3Btranslations%3A1%2C6&bootstrap=true"))
            #expect(firsts[1].contains("resources=tafsirs%3A%2A%3Btranslations%3A1%2C6&sync_token="))
            #expect(firsts[2].contains("resources=translations%3A1&bootstrap=true"))
        }
    }

    /// §1.3.2, §1.3.3
    @Test func `begin with a bootstrap, then with the token, never with both`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page(until: 0, token: "A B+/=&?"))
        server.on("token A%20B%2B%2F%3D%26%3F", page(until: 0, token: "C"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:*")
        #expect(try fixture.token() == "C")
        #expect(!fixture.script.lines[0].contains("sync_token") && !fixture.script.lines[1].contains("bootstrap"))
    }

    /// §1.1.17, §1.3.5
    @Test(arguments: Wiring.allCases)
    func `request 100 changes a page, or fewer where the host says so`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            for id in Int64(1)...5 { try await fixture.origin.addTranslations(id, count: 1) }
            #expect(try await fixture.sync("translations:1,2,3").pages == 1)
            #expect(try await fixture.sync("translations:*", configure: { $0.perPage = 2 }).pages == 3)
            let firsts = fixture.script.lines.filter { $0.contains("resources=") }
            #expect(firsts[0].hasSuffix("&per_page=100") && firsts[1].hasSuffix("&per_page=2"))
        }
    }

    /// §1.1.22, §1.3.4, §1.6.4
    @Test(arguments: Wiring.allCases)
    func `follow the url of the next page unchanged`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:*")
            for number in 2...10 { try await fixture.origin.put(number, "row") }
            #expect(try await fixture.sync("translations:*", configure: { $0.perPage = 4 }).pages == 3)
            let cursors = fixture.script.lines.suffix(2)
            #expect(cursors.allSatisfy { $0.hasPrefix("GET /content/api/v4/resources/sync?cursor=") })
            #expect(cursors.allSatisfy { !$0.contains("&") })
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.6.6, §1.6.8
    @Test(arguments: Wiring.allCases)
    func `for snapshots carry neither token nor sequence`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:*")
            try await fixture.origin.replace(19, with: Origin.translations(2))
            try await fixture.sync("translations:*")
            let copies = fixture.script.lines.filter { $0.contains("snapshots") }
            let path = "GET /content/api/v4/resources/snapshots/translations/19"
            // The server's own URLs may name a version.
            #expect(copies == (wiring.namesVersions ? [path + "?version=1.0", path + "?version=2.0"] : [path, path]))
            #expect(!fixture.script.lines.contains { $0.contains("sequence") })
        }
    }
}
