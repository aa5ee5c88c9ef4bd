// Proves that a free list that liblmdb would misread is damage.

import Foundation
import LarderEngine
import Testing

@Suite struct `A list of free pages` {
    /// Zero is liblmdb's mark of no entry: it keeps an entry of that number in the list while it uses the pages, and ends
    /// the process in a later commit.
    @Test func `is damaged where an entry has the commit zero`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        for number in 0..<6 { try environment.set([1], [UInt8](repeating: UInt8(number), count: 100)) }
        try environment.close()
        #expect(try Environment.pageProblems(ofStoreAt: directory.path) == [])
        let url = URL(fileURLWithPath: directory.path + "/data.mdb")
        var data = try Data(contentsOf: url)
        // The newest of the two meta pages names the root of the list, a leaf, whose first node has the lowest commit.
        let meta = data.u64(144) > data.u64(4096 + 144) ? 0 : 4096
        let page = Int(data.u64(meta + 80)) * 4096
        let key = page + Int(data.u64(page + 16) & 0xFFFF) + 8
        #expect((1...6).contains(data.u64(key)))
        data[key] = 0
        try data.write(to: url)
        let error = #expect(throws: EngineError.self) {
            let problems = try Environment.pageProblems(ofStoreAt: directory.path) ?? []
            if let problem = problems.first { throw EngineError.damagedPage(number: problem.page, reason: "") }
        }
        switch error {
        case .damagedMeta, .damagedPage: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    /// liblmdb would overwrite the page with content of another table.
    @Test func `is damaged where it names a page in use`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.writeBlocking { transaction in
            for row in 0..<200 as Range<UInt8> {
                try transaction.set([row], [UInt8](repeating: row, count: 100), in: environment.table("one"))
            }
        }
        for number in 0..<6 { try environment.set([199], [UInt8](repeating: UInt8(number), count: 100)) }
        try environment.close()
        let url = URL(fileURLWithPath: directory.path + "/data.mdb")
        var data = try Data(contentsOf: url)
        let meta = data.u64(144) > data.u64(4096 + 144) ? 0 : 4096
        // The description of the first table follows its name of three bytes.
        let table = data.nodes(ofPage: data.u64(meta + 128))[0] + 8 + 3
        // Numbers of six bytes begin the nodes of the root.
        let leaves = data.nodes(ofPage: data.u64(table + 40)).map { data.u64($0) & 0xFFFF_FFFF_FFFF }
        let leaf = try #require(leaves.min())
        // The numbers of an entry descend, behind their count.
        let entry = data.nodes(ofPage: data.u64(meta + 80))[0] + 8 + 8
        let last = entry + 8 * Int(data.u64(entry))
        #expect(leaves.count > 2 && leaf < data.u64(last))
        for byte in 0..<8 { data[last + byte] = UInt8(truncatingIfNeeded: leaf >> UInt64(8 * byte)) }
        try data.write(to: url)
        #expect(try Environment.pageProblems(ofStoreAt: directory.path)?.map(\.page) == [leaf])
    }
}

extension Data {
    /// The offsets of the nodes of a page. LMDB: `MDB_page`.
    fileprivate func nodes(ofPage number: UInt64) -> [Int] {
        let page = Int(number) * 4096
        return stride(from: page + 16, to: page + Int(u64(page + 12) & 0xFFFF), by: 2).map {
            page + Int(u64($0) & 0xFFFF)
        }
    }

    fileprivate func u64(_ offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }
}
