// Proves that a blob reads back as written, and that its chunks are removed when it is abandoned or discarded.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A blob` {
    private let directory = TemporaryStore()

    /// Bytes of which no two chunks are the same.
    private func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) } }

    private func write(_ bytes: [UInt8], to store: Store, piece: Int = 100_000) async throws -> Blob {
        let writer = try store.makeBlob()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            writer.append(Array(bytes[start..<min(start + piece, bytes.count)]).rawSpan)
            try await writer.flush()
        }
        return try await store.storeResponse(writer)
    }

    @Test(arguments: [0, 1, 32_739, 32_740, 32_741, 65_480, 262_000, 700_001])
    func `gives back what was appended, whole and in part`(count: Int) async throws {
        let store = try directory.open()
        let bytes = content(count)
        let blob = try await write(bytes, to: store)
        #expect(blob.byteCount == Int64(count))
        let handle = try #require(try store.blob(blob.number))
        #expect(handle.byteCount == Int64(count))
        #expect(try handle.bytes(0..<Int64(count)) == bytes)
        for range in [0..<min(count, 5), count / 2..<count, count / 3..<count / 2, count..<count] {
            let wanted = Int64(range.lowerBound)..<Int64(range.upperBound)
            #expect(try handle.bytes(wanted) == Array(bytes[range]))
        }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `has chunks that fill eight pages each`() async throws {
        let store = try directory.open()
        _ = try await write(content(20 * Limits.chunkBytes), to: store)
        let statistics = try #require(try store.statistics().tables[TableName.blobs.rawValue])
        #expect(statistics.overflowPages == 20 * 8)
        try store.close()
    }

    @Test func `is invisible before it is finished, and leaves nothing when it is abandoned`() async throws {
        let store = try directory.open()
        let writer = try store.makeBlob()
        writer.append(content(2_000_000).rawSpan)
        try await writer.flush()
        #expect(try store.statistics().storedSize > 1_900_000)
        #expect(try store.blob(1) == nil)
        #expect(try store.findings() == [])
        writer.cancel()
        try await store.eventually { try store.statistics().storedSize == 0 }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `whose writer is dropped leaves nothing`() async throws {
        let store = try directory.open()
        do {
            let writer = try store.makeBlob()
            writer.append(content(600_000).rawSpan)
            try await writer.flush()
        }
        try await store.eventually { try store.statistics().storedSize == 0 }
        try store.close()
    }

    @Test func `that was abandoned cannot become live`() async throws {
        let store = try directory.open()
        let writer = try store.makeBlob()
        writer.append(content(600_000).rawSpan)
        try await writer.flush()
        writer.cancel()
        await #expect(throws: StoreError.blobRemoved) { try await store.storeResponse(writer) }
        try store.close()
    }

    @Test func `that was being written when the process ended is removed at the next open`() async throws {
        let first = try directory.open()
        let writer = try first.makeBlob()
        writer.append(content(900_000).rawSpan)
        try await writer.flush()
        try first.close()
        let store = try directory.open()
        try await store.reclaim()
        #expect(try store.statistics().storedSize == 0)
        #expect(try store.findings() == [])
        // Its number is not given again.
        #expect(try await write([1], to: store).number == 2)
        _ = writer
        try store.close()
    }

    @Test func `that is discarded stays readable while it is held, and is removed then`() async throws {
        let store = try directory.open()
        let bytes = content(200_000)
        let blob = try await write(bytes, to: store)
        var held = try store.blob(blob.number)
        let second = try store.blob(blob.number)
        try await store.discard(blob)
        #expect(try store.blob(blob.number) == nil)
        try await store.reclaim()
        #expect(try held?.bytes(0..<200_000) == bytes)
        held = nil
        try await store.reclaim()
        #expect(try second?.bytes(199_990..<200_000) == Array(bytes.suffix(10)))
        withExtendedLifetime(second) {}
        try store.close()
    }

    @Test func `is removed when its last handle is released`() async throws {
        let store = try directory.open()
        let blob = try await write(content(200_000), to: store)
        do {
            let held = try store.blob(blob.number)
            try await store.discard(blob)
            try await store.reclaim()
            #expect(try store.statistics().storedSize > 200_000)
            withExtendedLifetime(held) {}
        }
        try await store.eventually { try store.recordCount(of: .blobs) == 0 }
        try store.close()
    }

    @Test func `removed by another process is gone, and says so`() async throws {
        let store = try directory.open()
        let blob = try await write(content(100_000), to: store)
        let held = try #require(try store.blob(blob.number))
        let raw = try RawStore(directory.path)
        try raw.replace(try raw.records().filter { $0.table == .blobs }, by: [])
        #expect(throws: StoreError.blobRemoved) { try held.bytes(0..<10) }
        try raw.close()
        try store.close()
    }

    @Test func `with a damaged chunk is refused there and read elsewhere`() async throws {
        let store = try directory.open()
        let bytes = content(3 * Limits.chunkBytes)
        let blob = try await write(bytes, to: store)
        let raw = try RawStore(directory.path)
        let chunk = try #require(try raw.records().last { $0.table == .blobs })
        var damaged = chunk
        damaged.value[20_000] ^= 1
        try raw.replace([chunk], by: [damaged])
        let handle = try #require(try store.blob(blob.number))
        let size = Int64(Limits.chunkBytes)
        #expect(try handle.bytes(0..<2 * size) == Array(bytes[..<Int(2 * size)]))
        #expect(throws: StoreError.damaged(table: "blobs", reason: .checksumMismatch)) {
            try handle.bytes(2 * size..<2 * size + 1)
        }
        #expect(try store.findings().contains { $0.kind == .checksum && $0.table == "blobs" })
        try raw.close()
        try store.close()
    }

    #if os(Linux)
    @Test func `is read from the map without a copy`() async throws {
        let store = try directory.open()
        let blob = try await write(content(500_000), to: store)
        let handle = try #require(try store.blob(blob.number))
        var addresses: [UInt] = []
        try handle.read(0..<500_000) { bytes in
            unsafe bytes.withUnsafeBytes { addresses.append(UInt(bitPattern: $0.baseAddress)) }
        }
        #expect(addresses.count == 16)
        // LMDB puts a large value behind the 16 bytes of a page's head, and 12 are the record's: no copy lies so.
        #expect(addresses.allSatisfy { $0 % 4096 == 28 }, "\(addresses)")
        try store.close()
    }
    #endif
}

extension BlobHandle {
    /// A copy of some of its bytes.
    func bytes(_ range: Range<Int64>) throws -> [UInt8] {
        var all: [UInt8] = []
        try read(range) { all.append(copying: $0) }
        return all
    }
}

extension Store {
    /// Makes a blob live, with a response that names it.
    @discardableResult
    func storeResponse(_ writer: BlobWriter, at key: String = "k") async throws -> Blob {
        try await write { transaction in
            let blob = try writer.finish(in: &transaction)
            try transaction.putResponse(response(key), body: blob)
            return blob
        }
    }

    /// Removes the response that names a blob.
    func discard(_ blob: Blob) async throws {
        try await write { transaction in
            for entry in try transaction.responses(after: nil, limit: .max) where entry.record.blob == blob.number {
                try transaction.removeResponse(at: entry.place)
            }
        }
    }

    func recordCount(of table: TableName) throws -> Int { try read { view in try view.recordCount(of: table) } }

    /// Waits, at most for some seconds, until what happens in the background has happened.
    func eventually(_ isDone: () throws -> Bool) async throws {
        for _ in 0..<2000 {
            if try isDone() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("it did not happen")
    }
}

/// A response to keep.
func response(_ key: String, etag: String = "1", language: String? = "de", receivedAt: Int64 = 5) -> ResponseRecord {
    var record = ResponseRecord(
        key: key, method: "GET", url: key, status: 200,
        fields: [.init(name: "ETag", value: bytes(etag)), .init(name: "Content-Type", value: bytes("text/plain"))],
        requestedAt: receivedAt - 1, receivedAt: receivedAt, storedAt: receivedAt)
    record.selecting = [.init(name: "accept-language", value: language)]
    return record
}
