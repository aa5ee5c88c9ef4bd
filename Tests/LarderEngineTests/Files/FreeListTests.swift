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
}

extension Data {
    fileprivate func u64(_ offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
    }
}
