// Proves that a dump of damaged pages ends with status 2, and has no trailer.

import Foundation
import Testing

@Suite struct `A dump of damaged pages` {
    @Test(arguments: [["dump"], ["dump", "--lmdb"], ["dump", "--redact"]])
    func `ends with status 2 where a table has another number of entries than it counts`(verb: [String]) async throws {
        for change in [-1, 1] {
            let sample = try await SampleStore()
            let counted = try changeCount(by: change, inStore: sample.path)
            let outcome = try Tool.run(Tool.path, verb + [sample.path])
            #expect(outcome.status == 2)
            #expect(outcome.errorOutput.contains("rows") && outcome.errorOutput.contains("\(counted)"))
            #expect(!outcome.text.contains("\"end\":true"))
        }
    }

    @Test func `ends with status 2 where the keys of a page are out of order`() async throws {
        let sample = try await SampleStore()
        try exchangeEntries(inStore: sample.path)
        let outcome = try Tool.run("dump", sample.path)
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("damaged"))
        #expect(!outcome.text.contains("\"end\":true"))
    }

    /// Changes the count of entries in the description of the table `rows`. LMDB: `MDB_db`, `md_entries`.
    private func changeCount(by change: Int, inStore path: String) throws -> Int {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var content = try [UInt8](Data(contentsOf: file))
        let meta = content[144] > content[4096 + 144] ? 0 : 4096
        let main = Int(content[meta + 88 + 40]) * 4096
        // The node's size of key, and the key.
        let name = [4, 0] + Array("rows".utf8)
        let found = (main..<main + 4096).first { content[$0..<$0 + name.count].elementsEqual(name) }
        let entries = try #require(found) + name.count + 32
        let count = Int(content[entries]) + Int(content[entries + 1]) << 8 + change
        (content[entries], content[entries + 1]) = (UInt8(count & 0xFF), UInt8(count >> 8))
        try write(content, to: file)
        return count
    }

    /// Exchanges two entries in every page that holds a verse, in the list of offsets at the page's begin.
    private func exchangeEntries(inStore path: String) throws {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var content = try [UInt8](Data(contentsOf: file))
        let text = Array("{\"verse\":77}".utf8)
        var exchanged = 0
        for page in stride(from: 0, to: content.count, by: 4096) {
            let isHeld = (page..<page + 4096 - text.count).contains {
                content[$0..<$0 + text.count].elementsEqual(text)
            }
            guard isHeld, content[page + 10] == 2 else { continue }
            for byte in [20, 21] { content.swapAt(page + byte, page + byte + 2) }
            exchanged += 1
        }
        #expect(exchanged > 0)
        try write(content, to: file)
    }

    private func write(_ content: [UInt8], to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data(content))
        try handle.close()
    }
}
