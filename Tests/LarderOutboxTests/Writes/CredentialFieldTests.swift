// Proves that credentials among the header fields of a write are refused before anything is stored.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A header field with credentials` {
    @Test(
        arguments: [
            "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "X-Auth-Token",
            "Private-Token",
            "X-Amz-Security-Token", "X-Csrf-Token", "X-Session-Id", "X-Plex-Token", "DD-API-KEY", "X-House",
        ])
    func `is refused at enqueue and in an edit`(_ name: String) async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox(configuration: { $0.secretFields = ["X-House"] })
        let field = try #require(HTTPField.Name(name))
        var write = note(1)
        write.fields[field] = "secret"
        let refused = await #expect(throws: OutboxError.self) { try await outbox.enqueue(write) }
        guard case .credentialField(let told) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(told.lowercased() == name.lowercased())
        #expect(try world.entries() == [])
        let id = try await outbox.enqueue(note(2)).id
        await #expect(throws: OutboxError.self) {
            try await outbox.edit(id, body: .bytes(Array("{}".utf8)), fields: [field: "secret"], effects: [])
        }
        #expect(try world.entries().map(\.draft.fields.count) == [1])
    }
}
