// Proves that the next run repairs damaged records of resources and filters while their rows stay readable.
// readable and the other filters go on.

import LarderFormat
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@testable import LarderStore

@Suite(.timeLimit(.minutes(5))) struct `A run over damaged records` {
    private func filled() async throws -> SyncFixture {
        let fixture = try SyncFixture()
        for id in Int64(19)...21 { try await fixture.origin.addTranslations(id, count: 2) }
        try await fixture.sync("translations:*")
        return fixture
    }

    /// Puts what no writer makes in the place of a record.
    private func damage(
        _ fixture: SyncFixture, _ table: TableName, _ key: @escaping @Sendable (inout TupleWriter) -> Void
    ) async throws {
        try await fixture.store.write { transaction in
            var writer = TupleWriter()
            key(&writer)
            let value: [UInt8] = [1, 2, 3]
            try transaction.put(value.rawSpan, key: writer.bytes.rawSpan, in: table)
        }
    }

    @Test func `requests the snapshot of a resource again`() async throws {
        let fixture = try await filled()
        let before = try fixture.translation(20)
        try await damage(fixture, .resources) { key in
            key.append(text: "translations")
            key.append(integer: 20)
        }
        #expect(throws: StoreError.self) { try fixture.translation(20) }
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20) == before)
        #expect(try fixture.resource(20)?.snapshotPath != nil)
        #expect(try fixture.token() != nil)
        #expect(try await fixture.differences(["translations:*"]) == [])
        try await fixture.store.reclaim()
        try fixture.expectSound()
    }

    @Test func `keeps the rows of a resource readable while the server cannot be reached`() async throws {
        let fixture = try await filled()
        let before = try fixture.translation(20)
        try await damage(fixture, .resources) { key in
            key.append(text: "translations")
            key.append(integer: 20)
        }
        fixture.script.plan(.fail(.connectionRefused), where: { _ in true })
        _ = try await fixture.failure("translations:*")
        #expect(try fixture.translation(20) == before)
        try await fixture.origin.hide(20)
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(20) == [:])
        #expect(try await fixture.differences(["translations:*"]) == [])
    }

    @Test func `bootstraps a filter whose record is damaged, and another one not`() async throws {
        let fixture = try await filled()
        try await fixture.origin.addTranslations(30, count: 2)
        try await fixture.sync("translations:30")
        let other = try fixture.token("translations:30")
        try await damage(fixture, .filters) { key in key.append(integer: 1) }
        let before = try fixture.translation(19)
        try await fixture.sync("translations:30")
        #expect(try fixture.store.read { view in try view.readableFilters() }.map(\.filter) == ["translations:30"])
        #expect(try fixture.translation(19) == before)
        // What the server withdraws meanwhile is swept by the bootstrap.
        try await fixture.origin.hide(21)
        let report = try await fixture.sync("translations:*")
        #expect(report.kind == .bootstrap)
        #expect(try fixture.translation(21) == [:])
        #expect(try fixture.token() != nil && other != nil)
        #expect(try await fixture.differences(["translations:*", "translations:30"]) == [])
        try await fixture.store.reclaim()
        try fixture.expectSound()
    }

    @Test func `repairs a member`() async throws {
        let fixture = try await filled()
        try await damage(fixture, .members) { key in
            key.append(integer: 1)
            key.append(text: "translations")
            key.append(integer: 19)
        }
        try await fixture.origin.invalidateTokens()
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*"]) == [])
        try await fixture.store.reclaim()
        try fixture.expectSound()
    }
}
