// Proves that a search of an encrypted store finds words, and leaves none in a file.

#if Encryption
import Foundation
import LarderEncryption
import LarderFormat
import LarderStore
import LarderTesting
import Testing

@testable import LarderQuery

@Suite struct `A search of an encrypted store` {
    @Test func `leaves no word in any file`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/larder-query-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var options = StoreOptions()
        options.encryption = .aes256(.random())
        let store = try Store.open(at: path, options: options, host: .virtual(VirtualClock()))
        try store.writeBlocking { transaction in
            for number in 1...3 {
                try transaction.put(
                    Array(#"{"title":"a quiet canary"}"#.utf8),
                    at: RowKey(resource: items, type: "item", key: String(number)), updatedAt: 1)
            }
        }
        let query = try StoreQuery(store, tables: [`A search for words`.table()])
        #expect(try query.search("items", .words("canary")).map(\.object.key.key).sorted() == ["1", "2", "3"])
        let files = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(!files.contains { $0.hasPrefix("search.sqlite") })
        for name in files {
            let data = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
            #expect(data.range(of: Data("canary".utf8)) == nil, "\(name)")
        }
        try store.close()
    }
}
#endif
