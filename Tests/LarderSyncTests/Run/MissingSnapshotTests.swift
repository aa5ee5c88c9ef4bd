// Proves that a 404 for a snapshot hides its resource only when no later change proves it public.

import HTTPTypes
import LarderFormat
import LarderStore
import LarderTesting
import Testing

/// A 404 for a snapshot may come from a server that is behind the one which announced the resource.
@Suite(.timeLimit(.minutes(5))) struct `A snapshot that is not found` {
    private static let missing = CannedServer.Answer(
        status: 404, body: Array(#"{"error":{"code":"snapshot_not_found","message":"No."}}"#.utf8))

    private func whole(_ body: String) -> CannedServer.Answer { CannedServer.Answer(body: Array(body.utf8)) }

    /// A fixture with the token `A` at 99, and resource 20 announced at 100.
    private func announced(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 99, token: "A"))
        server.on("translations/19", snapshot(at: 99, "one"))
        server.on("token A", page([change(100, "RESOURCE_CREATE", 20)], until: 100, token: "B"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        return fixture
    }

    @Test func `is requested again before the resource is hidden`() async throws {
        let server = CannedServer()
        let fixture = try await announced(server)
        server.on("translations/20", [Self.missing, Self.missing, whole(snapshot(20, at: 100, "twenty"))])
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20) == ["1": payload(1, "twenty")])
        #expect(try fixture.members().contains(ResourceKey("translations", 20)))
        #expect(try fixture.token() == "B")
    }

    @Test func `of a new resource in a bootstrap is requested again`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE", 20)], until: 1, token: "A"))
        server.on("translations/20", [Self.missing, whole(snapshot(20, at: 1, "twenty"))])
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20).count == 1)
    }

    @Test(arguments: ["row", "RESOURCE_UPDATE", "RESOURCE_INVALIDATE"])
    func `repeatedly hides the resource until a later change proves it public`(_ kind: String) async throws {
        let server = CannedServer()
        let fixture = try await announced(server)
        server.on("translations/20", [Self.missing])
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(20)?.state == .hidden)
        #expect(try fixture.token() == "B")
        let proof = kind == "row" ? row(105, 1, "new", of: 20) : change(105, kind, 20)
        server.on("token B", page([proof], until: 105, token: "C"))
        // The run dies at the snapshot; the next one, which begins anew, finds the proof again.
        server.on("translations/20", status: 500, "")
        _ = try await fixture.failure("translations:*")
        #expect(try fixture.token() == "B")
        server.on("translations/20", [Self.missing, whole(snapshot(20, at: 105, "new"))])
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20) == ["1": payload(1, "new")])
        #expect(try fixture.members().contains(ResourceKey("translations", 20)))
        #expect(try fixture.token() == "C")
        try fixture.expectSound()
    }

    @Test(arguments: ["row", "RESOURCE_UPDATE"], [false, true])
    func `of a resource that another filter delivers is not needed when a later change proves it public`(
        _ kind: String, isEvicted: Bool
    ) async throws {
        let server = CannedServer()
        let fixture = try await announced(server)
        server.on("translations/20", [Self.missing])
        try await fixture.sync("translations:*")
        server.on("bootstrap", page([change(100, "RESOURCE_CREATE", 20)], until: 104, token: "X"))
        server.on("translations/20", snapshot(20, at: 104, "twenty"))
        try await fixture.sync("translations:20")
        #expect(try fixture.translation(20).count == 1)
        #expect(try !fixture.members().contains(ResourceKey("translations", 20)))
        if isEvicted { try await fixture.evict(20) }
        server.on(
            "token B",
            page([kind == "row" ? row(105, 1, "new", of: 20) : change(105, kind, 20)], until: 105, token: "C"))
        try await fixture.sync("translations:*")
        #expect(try fixture.members().contains(ResourceKey("translations", 20)))
        try fixture.expectSound()
    }

    @Test(arguments: ["row", "RESOURCE_UPDATE"])
    func
        `of a resource that another filter brought and removed again is asked for when a later change proves it public`(
            _ kind: String
        ) async throws
    {
        let server = CannedServer()
        let fixture = try await announced(server)
        server.on("translations/20", [Self.missing])
        try await fixture.sync("translations:*")
        server.on("bootstrap", page([change(100, "RESOURCE_CREATE", 20)], until: 104, token: "X"))
        server.on("translations/20", snapshot(20, at: 104, "twenty"))
        try await fixture.sync("translations:20")
        // A replica that lags rejects the token and lists nothing.
        server.on("token X", status: 410, #"{"error":{"code":"resync_required","message":""}}"#)
        server.on("bootstrap", page([], until: 104, token: "Y"))
        try await fixture.sync("translations:20")
        #expect(try fixture.resource(20)?.state == .empty)
        server.on(
            "token B",
            page([kind == "row" ? row(105, 1, "new", of: 20) : change(105, kind, 20)], until: 105, token: "C"))
        server.on("translations/20", snapshot(20, at: 105, "new"))
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20) == ["1": payload(1, "new")])
        #expect(try fixture.members().contains(ResourceKey("translations", 20)))
        try fixture.expectSound()
    }

    @Test func `is requested once more at the end of a run whose later changes prove it public`() async throws {
        let server = CannedServer()
        let fixture = try await announced(server)
        let changes = [change(100, "RESOURCE_CREATE", 20), row(101, 1, "new", of: 20), row(102, 1, "one", of: 19)]
        server.on("token A", page(changes, until: 102, token: "B"))
        server.on("translations/20", [Self.missing, Self.missing, Self.missing, whole(snapshot(20, at: 102, "new"))])
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20) == ["1": payload(1, "new")])
        #expect(try fixture.text(1) == payload(1, "one"))
    }

    @Test func `of a resource that was deleted since is not requested again`() async throws {
        let server = CannedServer()
        let fixture = try await announced(server)
        let changes = [
            change(100, "RESOURCE_CREATE", 20), row(101, 1, "new", of: 20), change(102, "RESOURCE_DELETE", 20),
        ]
        server.on("token A", page(changes, until: 102, token: "B"))
        server.on("translations/20", [Self.missing])
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(20)?.state == .hidden && fixture.resource(20)?.appliedSequence == 102)
        #expect(server.names.count { $0 == "translations/20" } == 3)
        #expect(try fixture.members() == [ResourceKey("translations", 19)])
    }
}
