// Proves that a ring of points keeps the newest, never drops what is being uploaded, and is verified.

import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A ring of points` {
    private let directory = TemporaryStore()
    private let ring = BufferName("locations", account: "ada")

    private func append(_ numbers: ClosedRange<Int>, to name: BufferName, limit: Int = 1000, in store: Store)
        async throws
    {
        try await store.write { transaction in
            for number in numbers {
                try transaction.appendPoint(bytes("\(number)"), to: name, at: Int64(number), limit: limit)
            }
        }
    }

    private func payloads(_ name: BufferName, in store: Store) throws -> [String] {
        try store.read { view in try view.points(in: name) }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test func `keeps the newest thousand, drops the oldest and counts them [§4.4.1]`() async throws {
        let store = try directory.open()
        try await append(1...1003, to: ring, in: store)
        let points = try store.read { view in try view.points(in: ring) }
        #expect(points.map(\.sequence) == Array(4...1003))
        #expect(points.first?.payload == bytes("4"))
        let state = try #require(try store.read { view in try view.buffer(ring) })
        #expect([state.pointCount, state.dropped] == [1000, 3])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is separate for each account and each name`() async throws {
        let store = try directory.open()
        let others = [
            BufferName("locations"), BufferName("locations", account: "bob"), BufferName("location", account: "ada"),
            BufferName("locations", account: "adam"), BufferName("locations", account: ""),
        ]
        try await append(1...2, to: ring, in: store)
        for (number, other) in others.enumerated() { try await append(10 + number...10 + number, to: other, in: store) }
        #expect(try payloads(ring, in: store) == ["1", "2"])
        for (number, other) in others.enumerated() { #expect(try payloads(other, in: store) == ["\(10 + number)"]) }
        #expect(try store.read { view in try view.bufferNames() }.count == 6)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `never drops what is being uploaded`() async throws {
        let store = try directory.open()
        try await append(1...4, to: ring, limit: 4, in: store)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...3, key: draft(1).id)
        let stored = try await store.write { [upload, ring] in
            try $0.updateUpload(of: ring, from: BufferUpload(), to: upload)
        }
        #expect(stored)
        try await append(5...7, to: ring, limit: 4, in: store)
        #expect(try payloads(ring, in: store) == ["1", "2", "3", "7"])
        try await append(8...8, to: ring, limit: 2, in: store)
        #expect(try payloads(ring, in: store) == ["1", "2", "3", "8"])
        #expect(try store.findings() == [])
        let acknowledged = try await store.write { [upload, ring] in
            try $0.completeUpload(of: ring, from: upload, to: BufferUpload())
        }
        #expect(acknowledged)
        #expect(try payloads(ring, in: store) == ["8"])
        let state = try #require(try store.read { view in try view.buffer(ring) })
        #expect([state.pointCount, state.dropped, state.refused] == [1, 4, 0])
        #expect(state.nextSequence == 9)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `changes nothing when its upload batch is not the expected one`() async throws {
        let store = try directory.open()
        try await append(1...2, to: ring, in: store)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...2, key: draft(1).id)
        let stored = try await store.write { [upload, ring] in
            try $0.updateUpload(of: ring, from: BufferUpload(), to: upload)
        }
        #expect(stored)
        let (again, acknowledged) = try await store.write { [upload, ring] transaction in
            (
                try transaction.updateUpload(of: ring, from: BufferUpload(), to: upload),
                try transaction.completeUpload(of: ring, from: BufferUpload(), to: BufferUpload())
            )
        }
        #expect(!again && !acknowledged)
        #expect(try payloads(ring, in: store) == ["1", "2"])
        let unknown = try await store.write {
            try $0.updateUpload(of: BufferName("none"), from: BufferUpload(), to: BufferUpload())
        }
        #expect(!unknown)
        try store.close()
    }

    @Test func `counts refused points separately`() async throws {
        let store = try directory.open()
        try await append(1...3, to: ring, in: store)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...2, key: draft(1).id)
        try await store.write { [upload, ring] transaction in
            _ = try transaction.updateUpload(of: ring, from: BufferUpload(), to: upload)
            _ = try transaction.completeUpload(of: ring, from: upload, to: BufferUpload(), refused: true)
        }
        let state = try #require(try store.read { view in try view.buffer(ring) })
        #expect([state.pointCount, state.refused, state.dropped] == [1, 2, 0])
        try store.close()
    }

    @Test func `is unchanged after a close`() async throws {
        let first = try directory.open()
        try await append(1...3, to: ring, in: first)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...2, key: draft(1).id)
        upload.tries = 2
        upload.failures = 1
        upload.dueAt = 7
        upload.unbatchedThrough = 2
        try await first.write { [upload, ring] in
            _ = try $0.updateUpload(of: ring, from: BufferUpload(), to: upload)
        }
        try first.close()
        let store = try directory.open()
        #expect(try store.read { view in try view.buffer(ring) }?.upload == upload)
        #expect(try payloads(ring, in: store) == ["1", "2", "3"])
        try store.close()
    }

    @Test func `stores an upload batch durably, whatever durability the write requested`() async throws {
        let store = try directory.open()
        let raw = try RawStore(directory.path)
        try await store.write(durability: .relaxed) { [ring] in try $0.appendPoint([], to: ring, at: 1) }
        #expect(raw.isRelaxed)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...1, key: draft(1).id)
        try await store.write(durability: .relaxed) { [upload, ring] in
            _ = try $0.updateUpload(of: ring, from: BufferUpload(), to: upload)
        }
        #expect(!raw.isRelaxed)
        try raw.close()
        try store.close()
    }

    @Test func `refuses names and points beyond the limits`() async throws {
        let store = try directory.open()
        let long = String(repeating: "x", count: 256)
        for name in [BufferName(long), BufferName("a", account: long)] {
            await #expect(throws: StoreError.self) { try await store.write { try $0.appendPoint([], to: name, at: 1) } }
            #expect(throws: StoreError.self) { try store.read { view in try view.buffer(name) } }
        }
        let large = [UInt8](repeating: 0, count: Limits.bufferPoint + 1)
        await #expect(throws: StoreError.invalid(.payloadTooLarge(actual: large.count, limit: Limits.bufferPoint))) {
            try await store.write { [ring] in try $0.appendPoint(large, to: ring, at: 1) }
        }
        try store.close()
    }

    @Test func `is a finding when it counts wrongly or has lost its points`() async throws {
        let store = try directory.open()
        try await append(1...3, to: ring, in: store)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...1, key: draft(1).id)
        try await store.write { [upload, ring] in _ = try $0.updateUpload(of: ring, from: BufferUpload(), to: upload) }
        let raw = try RawStore(directory.path)
        let records = try raw.records().filter { $0.table == .buffers }
        #expect(records.count == 4)
        try raw.replace([records[1]], by: [])
        #expect(Set(try store.findings().map(\.kind)) == [.count, .pointer, .counter])
        try raw.replace([records[0]], by: [records[1]])
        #expect(try store.findings().contains { $0.kind == .orphan && $0.table == "buffers" })
        try raw.close()
        try store.close()
    }

    @Test(arguments: [1, 3])
    func `is a finding when the first or last point of an upload batch is missing`(lost: Int) async throws {
        let store = try directory.open()
        try await append(1...4, to: ring, in: store)
        var upload = BufferUpload()
        upload.batch = BufferUpload.Batch(sequences: 1...3, key: draft(1).id)
        try await store.write { [upload, ring] in _ = try $0.updateUpload(of: ring, from: BufferUpload(), to: upload) }
        let raw = try RawStore(directory.path)
        let records = try raw.records().filter { $0.table == .buffers }
        var counted = try BufferState(decoding: records[0].body.rawSpan)
        counted.pointCount -= 1
        try raw.replace([records[lost]], by: [records[0].resealed(counted.encode())])
        #expect(try store.findings().filter { $0.table == "buffers" }.map(\.kind) == [.pointer])
        try raw.close()
        try store.close()
    }
}
