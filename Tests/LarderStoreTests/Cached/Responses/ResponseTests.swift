// Proves that a stored response is found, replaced and removed by its selection, and that no credentials are written.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A stored response` {
    private let directory = TemporaryStore()

    @Test func `replaces the one with the same selection, and no other`() async throws {
        let store = try directory.open()
        try await store.put(response("k", etag: "1"))
        try await store.put(response("k", etag: "2", language: nil))
        try await store.put(response("k", etag: "3", receivedAt: 9))
        let stored = try store.read { view in try view.responses(forKey: "k") }
        #expect(stored.map { String(decoding: $0.record.fields[0].value, as: UTF8.self) } == ["3", "2"])
        #expect(stored.map(\.place.variant) == [1, 2])
        try await store.reclaim()
        #expect(try store.recordCount(of: .blobs) == 4)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `loses its body and its tags when it is replaced`() async throws {
        let store = try directory.open()
        var first = response("k")
        first.setTags(["a", "b"])
        try await store.put(first)
        #expect(try store.recordCount(of: .responses) == 3)
        try await store.put(response("k", etag: "2"))
        #expect(try store.recordCount(of: .responses) == 1)
        #expect(try await store.removeResponses(.tag("a")) == 0)
        #expect(try await store.removeResponses(.all) == 1)
        try await store.reclaim()
        #expect(try store.statistics().storedSize == 0)
        try store.close()
    }

    @Test func `is indexed as it changes`() async throws {
        let store = try directory.open()
        let entry = try await store.put(response("k"))
        for step in 0..<4 {
            try await store.write { transaction in
                try transaction.updateResponse(at: entry.place, blob: entry.record.blob) { record in
                    record.setTags(step % 2 == 0 ? ["x", "y\(step)"] : ["y\(step)"])
                }
            }
            #expect(try store.findings() == [])
        }
        #expect(try store.recordCount(of: .responses) == 2)
        #expect(try await store.removeResponses(.tag("x")) == 0)
        #expect(try await store.removeResponses(.tag("y3")) == 1)
        try store.close()
    }

    @Test func `is found among others whose cache keys have the same beginning`() async throws {
        let store = try directory.open()
        let long = String(repeating: "a", count: 500)
        for number in 0..<5 { try await store.put(response(long + "\(number)")) }
        #expect(try store.read { view in try view.responses(forKey: long + "3") }.map(\.record.key) == [long + "3"])
        #expect(try await store.removeResponses(.prefix(long + "4")) == 1)
        #expect(try await store.removeResponses(.prefix(String(long.prefix(199)))) == 4)
        try store.close()
    }

    @Test func `with a damaged record is treated as missing, and can be replaced and removed`() async throws {
        let store = try directory.open()
        var record = response("k")
        record.setTags(["t"])
        try await store.put(record)
        let raw = try RawStore(directory.path)
        let whole = try #require(try raw.records().first { $0.table == .responses })
        var damaged = whole
        damaged.value[30] ^= 1
        try raw.replace([whole], by: [damaged])
        #expect(try store.read { view in try view.responses(forKey: "k") }.isEmpty)
        try await store.put(response("k", etag: "2"))
        #expect(try store.read { view in try view.responses(forKey: "k") }.count == 1)
        #expect(try await store.removeResponses(.tag("t")) == 1)
        #expect(try await store.removeResponses(.key("k")) == 1)
        #expect(try store.recordCount(of: .responses) == 0)
        try raw.close()
        try store.close()
    }

    @Test func `beyond the limits is refused and leaves nothing`() async throws {
        let store = try directory.open()
        var tagged = response("k")
        tagged.setTags([String(repeating: "t", count: 300)])
        var large = response("k")
        large.fields.append(.init(name: "X", value: [UInt8](repeating: 65, count: 1_100_000)))
        for record in [response(String(repeating: "k", count: 40_000)), tagged, large] {
            await #expect(throws: StoreError.self) { try await store.put(record) }
        }
        #expect(try store.statistics().storedSize == 0)
        try store.close()
    }

    @Test func `has no credentials and no cookies on disk`() async throws {
        let store = try directory.open()
        let secret = "s3cr3t-\(UUID().uuidString)"
        var record = response("k")
        for name in ["Set-Cookie", "set-cookie2", "COOKIE", "Authorization", "Proxy-Authorization"] {
            record.fields.append(.init(name: name, value: bytes("id=" + secret)))
        }
        record.selecting.append(.init(name: "authorization", value: secret))
        record.selecting.append(.init(name: "cookie", value: String(repeating: "0af3", count: 8)))
        let entry = try await store.put(record)
        try await store.write { transaction in
            try transaction.updateResponse(at: entry.place, blob: entry.record.blob) { record in
                record.fields.append(.init(name: "Set-Cookie", value: bytes(secret)))
            }
        }
        let stored = try #require(try store.read { view in try view.responses(forKey: "k") }.first)
        #expect(stored.record.fields.map(\.name) == ["ETag", "Content-Type"])
        #expect(stored.record.selecting.map(\.value) == ["de", "", String(repeating: "0af3", count: 8)])
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let data = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name))
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test func `that a server confirms costs under eight pages, however large its body is`() async throws {
        let store = try directory.open()
        let body = (0..<10_000_000).map { UInt8(truncatingIfNeeded: $0 >> 5) }
        for number in 0..<200 { try await store.put(response("https://a.test/\(number)")) }
        let writer = try store.makeBlob()
        for start in stride(from: 0, to: body.count, by: 500_000) {
            writer.append(Array(body[start..<start + 500_000]).rawSpan)
            try await writer.flush()
        }
        try await store.storeResponse(writer, at: "https://a.test/large")
        let entry = try #require(try store.read { view in try view.responses(forKey: "https://a.test/large") }.first)
        let raw = try RawStore(directory.path)
        let chunks = try raw.records().filter { $0.table == .blobs }
        for confirmation in 1...20 {
            let before = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
            try await store.write(durability: .relaxed) { transaction in
                try transaction.updateResponse(at: entry.place, blob: entry.record.blob) { record in
                    record.receivedAt += Int64(confirmation)
                    record.fields[0].value = bytes("\(confirmation)")
                }
            }
            let after = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
            #expect(changedPages(before, after) < 8)
        }
        #expect(try raw.records().filter { $0.table == .blobs } == chunks)
        let handle = try #require(try store.blob(entry.record.blob))
        #expect(try handle.bytes(0..<10_000_000) == body)
        try raw.close()
        try store.close()
    }

    /// Pages that are not the same in both, those that only one has included.
    private func changedPages(_ left: Data, _ right: Data) -> Int {
        let size = 4096
        return stride(from: 0, to: max(left.count, right.count), by: size).count { start in
            left[min(start, left.count)..<min(start + size, left.count)]
                != right[min(start, right.count)..<min(start + size, right.count)]
        }
    }
}

extension Store {
    /// Keeps a response with a small body.
    @discardableResult
    func put(_ record: ResponseRecord, body: [UInt8] = bytes("body")) async throws -> ResponseEntry {
        let writer = try makeBlob()
        writer.append(body.rawSpan)
        return try await write { transaction in
            try transaction.putResponse(record, body: try writer.finish(in: &transaction))
        }
    }
}

extension Store {
    /// The response kept under a key for a language.
    func storedResponse(_ key: String, language: String?) throws -> ResponseEntry? {
        try read { view in
            try view.responses(forKey: key).first {
                $0.record.selecting == [.init(name: "accept-language", value: language)]
            }
        }
    }
}
