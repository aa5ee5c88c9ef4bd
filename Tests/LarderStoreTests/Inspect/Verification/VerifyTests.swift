// Proves that verify finds each kind of inconsistency, and continues behind damaged records.

import LarderFormat
import LarderStore
import Testing

@Suite struct `Verify` {
    private let directory = TemporaryStore()

    /// A sound sample with one record changed by somebody who seals what he writes.
    private func findings(
        _ table: TableName, where isWanted: (RawRecord) throws -> Bool = { _ in true },
        _ change: (RawRecord) throws -> [RawRecord]
    ) async throws -> [Finding] {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fillSample(store)
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { try $0.table == table && isWanted($0) })
        try raw.replace([record], by: try change(record))
        let findings = try store.findings()
        try raw.close()
        try store.close()
        return findings
    }

    private func kinds(_ findings: [Finding]) -> Set<Finding.Kind> { Set(findings.map(\.kind)) }

    @Test func `continues behind a damaged record and finds the next`() async throws {
        let store = try directory.open()
        try await store.replace(translations, with: (0..<50).map { (key($0), bytes("row \($0)")) })
        let raw = try RawStore(directory.path)
        for (position, record) in try raw.records().filter({ $0.table == .rows }).enumerated()
        where [7, 20, 33].contains(position) {
            var damaged = record
            damaged.value[record.value.count - 1] ^= 1
            try raw.replace([record], by: [damaged])
        }
        let findings = try store.findings()
        #expect(findings.map(\.kind) == [.checksum, .checksum, .checksum])
        #expect(
            findings.map(\.location) == [6, 19, 32].map { "translations/19 translation \($0) (generation 1)" })
        #expect(try store.read { view in try view.payload(at: key(10)) } == bytes("row 10"))
        try raw.close()
        try store.close()
    }

    @Test func `finds a counter that would reuse a number`() async throws {
        let findings = try await findings(.meta, where: { $0.key == CountersRecord.key }) { record in
            var counters = try CountersRecord(decoding: record.body.rawSpan)
            counters.nextGeneration = 1
            counters.nextOutboxSequence = 1
            counters.nextFilter = 1
            counters.nextJournalSequence = 1
            return [record.resealed(counters.encode())]
        }
        #expect(findings.map(\.kind) == [.counter, .counter, .counter, .counter])
    }

    /// With such a number no index can be declared, so an app that has one cannot open the store.
    @Test(arguments: [(Limits.indexNumber + 1, 0), (Limits.indexNumber + 2, 1)])
    func `finds a next index that no index may have`(next: Int64, count: Int) async throws {
        let findings = try await findings(.meta, where: { $0.key == CountersRecord.key }) { record in
            var counters = try CountersRecord(decoding: record.body.rawSpan)
            counters.nextIndex = next
            return [record.resealed(counters.encode())]
        }
        #expect(findings.map(\.kind) == [Finding.Kind](repeating: .counter, count: count))
    }

    @Test func `recomputes the stored size`() async throws {
        let findings = try await findings(.meta, where: { $0.key == CountersRecord.key }) { record in
            var counters = try CountersRecord(decoding: record.body.rawSpan)
            counters.storedSize += 1
            return [record.resealed(counters.encode())]
        }
        #expect(findings.map(\.kind) == [.counter])
        #expect(findings.map(\.severity) == [.minor])
    }

    @Test func `finds a resource without a generation, and the orphaned generation`() async throws {
        let found = try await findings(.resources) { record in
            var resource = try ResourceRecord(decoding: record.body.rawSpan)
            resource.liveGeneration = 99
            return [record.resealed(resource.encode())]
        }
        #expect(kinds(found).isSuperset(of: [.pointer, .orphan]))
    }

    @Test func `finds a resource that shows another's generation`() async throws {
        let found = try await findings(.resources, where: { $0.key.contains(0x13) }) { record in
            var resource = try ResourceRecord(decoding: record.body.rawSpan)
            resource.liveGeneration = 2
            return [record.resealed(resource.encode())]
        }
        #expect(kinds(found).isSuperset(of: [.owner, .orphan]))
    }

    @Test func `finds a ready resource without rows to show`() async throws {
        let found = try await findings(.resources) { record in
            var resource = try ResourceRecord(decoding: record.body.rawSpan)
            resource.liveGeneration = nil
            return [record.resealed(resource.encode())]
        }
        #expect(kinds(found).isSuperset(of: [.pointer, .orphan, .count]))
    }

    @Test func `recomputes rows, bytes and digest of what is live`() async throws {
        let found = try await findings(.generations) { record in
            var generation = try GenerationRecord(decoding: record.body.rawSpan)
            generation.rowCount += 1
            generation.byteCount += 1
            generation.digest += 1
            return [record.resealed(generation.encode())]
        }
        let ofGenerations = found.filter { $0.table == "generations" }
        #expect(ofGenerations.map(\.kind) == [.count, .count, .digest])
    }

    @Test func `finds an owner row that names another owner, and still the rows of the right one`() async throws {
        let found = try await findings(.rows, where: { $0.key.count == 2 }) { record in
            [record.resealed(OwnerRecord(owner: tafsirs).encode())]
        }
        #expect(found.filter { $0.kind != .counter }.map(\.kind) == [.owner])
    }

    @Test func `finds rows of an unknown generation`() async throws {
        let found = try await findings(.rows, where: { $0.key.count == 2 }) { record in
            [record, record.resealed(record.body, key: RowKeyCoding.prefix(generation: 77))]
        }
        #expect(kinds(found) == [.orphan, .counter])
    }

    @Test func `finds entries without index, and index records without entry`() async throws {
        let entry = try await findings(.outbox, where: { $0.key[0] == 2 }) { _ in [] }
        #expect(kinds(entry).contains(.index))
        let index = try await findings(.outbox, where: { $0.key[0] == 0x30 }) { _ in [] }
        #expect(kinds(index).contains(.index))
    }

    @Test func `finds entries without a body, and bodies without an entry`() async throws {
        let bodies: (RawRecord) -> Bool = { (0x14...0x1C).contains($0.key[0]) }
        let entry = try await findings(.outbox, where: bodies) { _ in [] }
        #expect(kinds(entry).contains(.pointer))
        let body = try await findings(.outbox, where: bodies) { record in
            [record, record.resealed(record.body, key: [0x15, 0x63])]
        }
        #expect(kinds(body).contains(.orphan))
    }

    @Test func `finds bodies whose length differs from their heads, or that contain credentials`() async throws {
        let bodies: (RawRecord) -> Bool = { (0x14...0x1C).contains($0.key[0]) }
        let length = try await findings(.outbox, where: bodies) { record in
            var body = try OutboxBodyRecord(decoding: record.body.rawSpan)
            body.payload = bytes("x") + body.payload.dropFirst(2)
            body.fields = [HeaderField(name: "X", value: [])]
            return [record.resealed(body.encode())]
        }
        #expect(length.contains { $0.kind == .count && $0.location.hasPrefix("body") && $0.severity == .damage })
        let secret = try await findings(.outbox, where: bodies) { record in
            var body = try OutboxBodyRecord(decoding: record.body.rawSpan)
            body.fields = [HeaderField(name: "Authorization", value: bytes("Bearer hush"))]
            return [record.resealed(body.encode())]
        }
        #expect(secret.contains { $0.kind == .undecodable && $0.location.hasPrefix("body") })
    }

    @Test func `finds members without a filter or a resource`() async throws {
        let filter = try await findings(.filters) { _ in [] }
        #expect(kinds(filter).contains(.member))
        let resource = try await findings(.resources, where: { $0.key.contains(0x13) }) { _ in [] }
        #expect(kinds(resource).contains(.member))
    }

    @Test func `finds two filters of one text`() async throws {
        let found = try await findings(.filters) { record in
            var key = KeyBuffer()
            try FilterState.appendKey(9, to: &key)
            return [record, record.resealed(record.body, key: key.array())]
        }
        #expect(kinds(found) == [.duplicate, .counter])
    }

    @Test func `finds values of a session, and waits of servers, that share a name`() async throws {
        let session = try await findings(.meta, where: { $0.key == StoredSession.key }) { record in
            var session = try StoredSession(decoding: record.body.rawSpan)
            session.values += session.values
            session.secretNames += session.secretNames
            return [record.resealed(session.encode())]
        }
        #expect(session.map(\.kind) == [.duplicate, .duplicate])
        let wait = ServerWaitsRecord.Wait(server: "https://a.test", until: 2, notedAt: 1)
        let waits = try await findings(.meta) { record in
            [record, record.resealed(ServerWaitsRecord(waits: [wait, wait]).encode(), key: ServerWaitsRecord.key)]
        }
        #expect(waits.map(\.kind) == [.duplicate])
    }

    @Test func `finds a part of a response that is not as long as its body`() async throws {
        let found = try await findings(.responses) { record in
            var response = try ResponseRecord(decoding: record.body.rawSpan)
            response.part = ResponseRecord.Part(start: 7, end: 8 + response.byteCount, total: nil)
            return [record.resealed(response.encode())]
        }
        #expect(found.filter { $0.table == "responses" }.map(\.kind) == [.count])
    }

    @Test(arguments: [OverlayRow.Result.none, .unknown])
    func `finds a codec or a time where an overlay leaves no row`(result: OverlayRow.Result) async throws {
        for (codec, updatedAt) in [(PayloadCodec.json, Int64(0)), (.opaque, 1)] {
            let found = try await findings(.overlay) { record in
                let body = OverlayRow.encode(
                    result, updatedAt: updatedAt, isLowestConfirmed: false, payload: [UInt8]().rawSpan)
                let value = Record.seal(
                    body: body.rawSpan, codec: codec.rawValue, key: record.key.rawSpan, seed: record.table.seed)
                return [RawRecord(table: .overlay, key: record.key, value: value)]
            }
            #expect(found.contains { $0.kind == .undecodable && $0.table == "overlay" })
        }
    }

    @Test func `reports its progress, and stops when requested`() async throws {
        struct Enough: Error {}
        let store = try directory.open()
        try await store.replace(translations, with: (0..<3_000).map { (key($0), []) })
        var steps: [[Int]] = []
        let summary = try store.verify(progress: { steps.append([$0, $1]) }, { _ in })
        #expect(steps.first?.first == 0)
        #expect(steps.last == [summary.entries, summary.entries])
        #expect(steps.count >= 4)
        #expect(summary.generations == 1)
        #expect(summary.bytes > 3_000)
        #expect(throws: Enough.self) {
            try store.verify(progress: { done, _ in if done > 0 { throw Enough() } }, { _ in })
        }
        try store.close()
    }
}
