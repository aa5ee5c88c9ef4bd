// Proves that credentials among the header fields of a write are refused before anything is stored.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A header field with credentials` {
    private func world() throws -> OutboxWorld {
        var options = StoreOptions()
        options.credentialFields = CredentialFields(secret: ["X-Vendor"], plain: ["X-Part-Key", "Authorization"])
        return try OutboxWorld(.offline, options: options)
    }

    @Test(
        arguments: [
            "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "X-Auth-Token",
            "Private-Token",
            "X-Amz-Security-Token", "X-Csrf-Token", "X-Session-Id", "X-Plex-Token", "DD-API-KEY", "X-Vendor",
            "X-Sync-Auth", "Content-Api-Key", "X-PIN",
        ])
    func `is refused at enqueue and in an edit`(_ name: String) async throws {
        let world = try world()
        let outbox = try world.outbox()
        let field = try #require(HTTPField.Name(name))
        var write = makeNoteWrite(1)
        write.fields[field] = "secret"
        let refused = await #expect(throws: OutboxError.self) { try await outbox.enqueue(write) }
        guard case .credentialField(let fieldName) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(fieldName.lowercased() == name.lowercased())
        #expect(try world.entries() == [])
        let id = try await outbox.enqueue(makeNoteWrite(2)).id
        await #expect(throws: OutboxError.self) {
            try await outbox.edit(id, body: .bytes(Array("{}".utf8)), fields: [field: "secret"], effects: [])
        }
        #expect(try world.entries().map(\.draft.fields.count) == [1])
    }

    @Test(arguments: ["X-Part-Key", "x-part-key", "X-Row-Key", "X-CoAuthor", "X-Max-Tokens"])
    func `is none that the host exempts, nor one that names something else`(_ name: String) async throws {
        let world = try world()
        let outbox = try world.outbox()
        let field = try #require(HTTPField.Name(name))
        var write = makeNoteWrite(1)
        write.fields = [field: "1"]
        let id = try await outbox.enqueue(write).id
        try await outbox.edit(id, body: .bytes(Array("{}".utf8)), fields: [field: "2"], effects: [])
        #expect(try world.entries().map { $0.draft.fields.map(\.value) } == [[Array("2".utf8)]])
    }
}
