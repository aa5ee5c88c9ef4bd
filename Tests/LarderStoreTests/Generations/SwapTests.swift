import LarderFormat
import LarderStore
import Testing

@Suite struct `A swap` {
    @Test func `shows the new rows in one step and reclaims the old ones`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        for round in 0..<3 {
            let staging = try await store.beginStaging(translations)
            var batch = RowBatch(for: staging)
            for number in 0..<5_000 {
                let payload = bytes("{\"round\":\(round),\"number\":\(number)}")
                try payload.withSpan { try batch.append($0, type: "translation", key: String(number), updatedAt: 1) }
            }
            try await store.stage(batch, in: staging)
            let before = try store.read { view in try view.payload(at: key(7)) }
            #expect(before == (round == 0 ? nil : bytes("{\"round\":\(round - 1),\"number\":7}")))
            try await store.swap(staging) { _, record in record.floor = Int64(round) }
            let after = try store.read { view in try view.payload(at: key(7)) }
            #expect(after == bytes("{\"round\":\(round),\"number\":7}"))
            #expect(try store.read { view in try view.forEachRow(in: .all(of: translations)) { _ in } } == 5_000)
        }
        try await store.reclaim()
        let numbers = try store.read { view in
            try view.rows(in: .all(of: translations), reversed: true, limit: 2).map(\.key.key)
        }
        #expect(numbers == ["4999", "4998"])
        try await store.write { transaction in
            try transaction.put(bytes("{}"), at: key(7), updatedAt: 2)
            try transaction.removeRow(at: key(8))
        }
        #expect(try store.read { view in try view.resource(translations)?.rowCount } == 4_999)
        try store.close()
    }
}

extension [UInt8] {
    func withSpan<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try unsafe body(span.bytes)
    }
}
