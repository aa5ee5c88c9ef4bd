import Foundation
import Larder
import Testing

@Suite struct `The defaults of the umbrella` {
    @Test func `put bytes as they are, and values as JSON`() throws {
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
        try store.read { view in
            #expect(try view.payload(at: first) == Array("{}".utf8))
            #expect(try view.payload(at: second) == Array("{\"a\":1}".utf8))
        }
    }
}
