// Proves that verify finds index entries and overlay counts that do not match the rows.

import LarderFormat
import LarderStore
import Testing

@Suite struct `Verify, of secondary indexes and overlays,` {
    private let directory = TemporaryStore()

    /// What is found after the records of a table that `isChosen` picks were replaced by what `change` makes of them.
    private func findings(
        _ table: TableName, where isChosen: (RawRecord) -> Bool = { _ in true },
        _ change: (RawRecord) throws -> [RawRecord]
    ) async throws -> [Finding] {
        let store = try directory.open()
        try await fillSample(store)
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.table == table && isChosen($0) })
        try raw.replace([record], by: try change(record))
        let findings = try store.findings()
        try raw.close()
        try store.close()
        return findings
    }

    private func isEntry(_ record: RawRecord) -> Bool { record.key.first != 0x02 }

    private func entry(_ record: RawRecord, key name: String) throws -> RawRecord {
        var entry = try IndexEntryKey(decoding: record.key.rawSpan)
        entry.address = .row(type: "translation", key: name)
        var buffer = KeyBuffer()
        _ = try IndexEntryKey.encode(
            entry.scope, index: entry.index, term: entry.term, type: "translation", key: name,
            to: &buffer)
        return record.resealed([], key: buffer.array())
    }

    @Test func `finds an entry without a row, and a missing entry`() async throws {
        // The entry may have another length than the one it replaces; the stored size then differs, too.
        let found = try await findings(.indexes, where: isEntry) { [try entry($0, key: "8")] }
            .filter { $0.kind != .counter }
        #expect(found.map(\.kind) == [.index])
        #expect(found.map(\.table) == ["indexes"])
    }

    @Test func `finds entries of an index without a record`() async throws {
        let found = try await findings(.indexes, where: { !isEntry($0) }) { _ in [] }
        #expect(Set(found.map(\.kind)) == [.orphan, .counter])
    }

    @Test func `finds a count of overlays that is wrong`() async throws {
        let found = try await findings(.resources, where: { $0.key.contains(0x13) }) { record in
            var resource = try ResourceRecord(decoding: record.body.rawSpan)
            resource.overlays -= 1
            return [record.resealed(resource.encode())]
        }
        #expect(found.map(\.kind) == [.count])
    }
}
