// Proves that counts which a crafted file states, under true checksums, are added without ending the process.

import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `Counts of a crafted file` {
    private let directory = TemporaryStore()

    /// Changes every record of a table that `craft` has an answer for.
    private func craft(_ table: TableName, _ craft: (RawRecord) throws -> [UInt8]?) throws {
        let raw = try RawStore(directory.path)
        for record in try raw.records() where record.table == table {
            if let body = try craft(record) { try raw.replace([record], by: [record.resealed(body)]) }
        }
        try raw.close()
    }

    @Test func `are summed up to the largest number there is`() async throws {
        let store = try directory.open()
        for id in 1...4 as ClosedRange<Int64> { try await fill(store, id, rows: 2) }
        try await store.write { try $0.pin(big(1)) }
        try await store.write { try $0.pin(big(2)) }
        for number in 1...2 { try await store.put(response("k\(number)")) }
        try store.writeBlocking { transaction in
            for id in 5...6 as ClosedRange<Int64> {
                _ = try transaction.beginStaging(big(id), store.shared.lease.begin())
            }
        }
        try store.close()
        try craft(.resources) { record in
            var resource = try ResourceRecord(decoding: record.body.rawSpan)
            resource.byteCount = .max
            return resource.encode()
        }
        try craft(.responses) { record in
            guard var response = try? ResponseRecord(decoding: record.body.rawSpan) else { return nil }
            response.byteCount = .max
            return response.encode()
        }
        try craft(.generations) { record in
            var generation = try GenerationRecord(decoding: record.body.rawSpan)
            generation.byteCount = .max
            return generation.encode()
        }
        try craft(.garbage) { record in
            var garbage = try GarbageRecord(decoding: record.body.rawSpan)
            garbage.byteCount = .max
            return garbage.encode()
        }
        let reader = try directory.open(StoreOptions(access: .readOnly))
        let use = try reader.spaceUse()
        #expect(use.pinned == .max && use.evictable == .max && use.staging == .max && use.garbage == .max)
        #expect(use.other == 0)
        try reader.close()
        let capped = try directory.open(StoreOptions(sizeCap: 1_000_000_000))
        #expect(try capped.spaceUse().available == .max)
        try capped.close()
    }

    @Test func `do not prevent eviction`() async throws {
        let store = try directory.open()
        for number in 1...20 { try await store.put(response("k\(number)"), body: [UInt8](repeating: 1, count: 5_000)) }
        try store.close()
        try craft(.responses) { record in
            guard var response = try? ResponseRecord(decoding: record.body.rawSpan) else { return nil }
            response.byteCount = .max / 2
            return response.encode()
        }
        let capped = try directory.open(StoreOptions(sizeCap: 60_000))
        try await capped.put([key(1)])
        #expect(try size(capped) <= 60_000)
        #expect(try capped.read { view in try view.evictions() }.contains { $0.bytes == .max })
        try capped.close()
    }

    @Test func `of points are summed up to the largest number there is`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for name in ["one", "two"] { try transaction.appendPoint(bytes("{}"), to: BufferName(name), at: 5) }
        }
        try store.close()
        try craft(.buffers) { record in
            guard case .ring? = try? BufferKey(decoding: record.key.rawSpan) else { return nil }
            var ring = try BufferState(decoding: record.body.rawSpan)
            ring.pointCount = .max
            return ring.encode()
        }
        let crafted = try directory.open()
        #expect(try crafted.read { view in try view.unsent(of: nil) }.points == .max)
        try crafted.close()
    }
}
