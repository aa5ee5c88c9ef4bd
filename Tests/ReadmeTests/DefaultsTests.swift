// Proves that the umbrella module stores bytes unchanged, and values as JSON.

import Foundation
import Larder
import LarderStore
import Testing

@Suite struct `The defaults of the umbrella` {
    @Test func `store bytes unchanged, and values as JSON`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try Store.open(at: path)
        defer { try? store.close() }
        let resource = ResourceKey("notes", 1)
        let (first, second) = (
            RowKey(resource: resource, type: "note", key: "1"), RowKey(resource: resource, type: "note", key: "2")
        )
        try store.writeBlocking { transaction in
            try transaction.put(Array("{}".utf8), at: first, updatedAt: 0)
            try transaction.put(["a": 1], at: second, updatedAt: 0)
        }
        let stored = try store.read { view in try [first, second].map { key in try view.payload(at: key) } }
        #expect(stored == [Array("{}".utf8), Array("{\"a\":1}".utf8)])
        let rows = try store.read { view in try view.rows(in: .all(of: resource)) }
        #expect(try rows.last?.value([String: Int].self) == ["a": 1])
    }

    @Test func `convert UUIDs both ways`() throws {
        let uuid = UUID()
        let bytes = UUIDBytes(uuid)
        #expect(bytes.description.lowercased() == uuid.uuidString.lowercased() && UUID(bytes) == uuid)
    }
}
