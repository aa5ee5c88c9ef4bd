// Proves that timelines are counted in the store, and that no record belongs to a future one.

import LarderFormat
import LarderStore
import Testing

/// The store counts timelines, and no record is of one to come.
@Suite struct `A timeline of the store` {
    private let temporary = TemporaryStore()

    @Test func `begins without a sequence, and outlives the process`() async throws {
        var store = try temporary.open()
        try await store.write { transaction in
            try transaction.advanceAppliedSequence(to: 70)
            try transaction.advanceAppliedSequence(to: 60)
        }
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(0, 70))
        try await store.write { try $0.beginTimeline() }
        try store.close()
        store = try temporary.open()
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(1, 0))
        try store.close()
    }

    @Test func `never has a number that cannot be read`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.advanceAppliedSequence(to: 1) }
        let raw = try RawStore(temporary.path)
        let record = try #require(try raw.records().first { $0.key == CountersRecord.key })
        var counters = try CountersRecord(decoding: record.body.rawSpan)
        counters.applied = ServerPosition(.max - 1, 7)
        try raw.replace([record], by: [record.resealed(counters.encode())])
        try await store.write { try $0.beginTimeline() }
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(.max - 1, 0))
        try raw.close()
        try store.close()
    }

    @Test(arguments: [false, true])
    func `in the future of a record is a finding`(isFilter: Bool) async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            if isFilter {
                _ = try transaction.updateFilter("translations:*") { $0.timeline = 1 }
            } else {
                try transaction.update(translations) { $0.applied = ServerPosition(1, 7) }
            }
        }
        #expect(try store.findings().map(\.kind) == [.counter])
        try await store.write { try $0.beginTimeline() }
        #expect(try store.findings() == [])
        try store.close()
    }
}
