// Proves that the inspector's forms retry and drop writes as the verbs do.
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

@Suite struct `The inspector's forms` {
    @Test func `retry a failed write`() async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        #expect(inspected.get(.outbox).text.contains("action=\"./retry\""))
        let response = inspected.post("retry", InspectedStore.failed)
        #expect(response.status == 303 && response.location == "./outbox")
        let entry = try inspected.store.read { view in try view.outboxEntry(InspectedStore.failed) }
        #expect(entry?.delivery.state == .pending && entry?.delivery.attempts == 0)
        #expect(inspected.post("retry", InspectedStore.failed).status == 404)
    }

    @Test func `drop a write, and its effect on rows`() async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        #expect(inspected.post("drop", InspectedStore.failed).status == 303)
        let row = RowKey(resource: SampleStore.verses, type: "translation", key: "7")
        #expect(try inspected.store.read { view in try view.outboxEntry(InspectedStore.failed) } == nil)
        #expect(try inspected.store.read { view in try view.payload(at: row) } == bytes("{\"verse\":7}"))
        #expect(inspected.post("drop", InspectedStore.failed).status == 404)
        #expect(inspected.get(.activity).text.contains("dropped"))
    }

    @Test(arguments: ["", "entry=", "entry=x", "other=1"])
    func `need a write`(body: String) async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        let request = InspectorRequest(
            method: "POST", target: "/secret/drop", host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080",
            body: bytes(body))
        #expect(inspected.inspector.respond(to: request).status == 400)
    }
}
