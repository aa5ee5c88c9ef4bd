// Proves that a walk over raw records ends, whatever the order of a damaged page is.
import Foundation
import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `A walk over raw records` {
    private let directory = TemporaryStore()

    @Test func `ends with an error where a page leads back`() async throws {
        let store = try directory.open()
        try await store.put(["mmmm", "nnnn", "oooo", "pppp", "qqqq", "rrrr", "ssss"].map { key($0) })
        let records = try store.read { view in try view.rawRecords(of: .rows) }
        let first = try #require(records.first { Data($0.key).range(of: Data("mmmm".utf8)) != nil }).key
        try store.close()
        // The key of the last row, in every version of its page: a search for it leads to the first.
        let file = URL(filePath: directory.path + "/data.mdb")
        var bytes = try Data(contentsOf: file)
        while let range = bytes.range(of: Data("ssss".utf8)) { bytes.replaceSubrange(range, with: Data("aaaa".utf8)) }
        try bytes.write(to: file)

        let damaged = try directory.open()
        let prefix = Array(first.prefix { $0 != UInt8(ascii: "m") })
        #expect {
            try damaged.read { view in
                var last: [UInt8]?
                // More pages than there are records: this ends whether the walk does or not.
                for _ in 0..<20 {
                    guard let end = try view.rawRecords(of: .rows, after: last, prefix: prefix).last else {
                        return
                    }
                    last = end.key
                }
            }
        } throws: {
            ($0 as? EngineError)?.isOfStoredBytes == true
        }
        try damaged.close()
    }
}
