// Proves that a salvage brings no removed record back where it is not known which pages are free.

import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite struct `A salvage of a store whose list of free pages is damaged` {
    @Test func `brings nothing back that was removed`() async throws {
        let (old, new) = (TemporaryStore(), TemporaryStore())
        let store = try old.open()
        try await store.replace(translations, with: (1...3).map { (key($0), bytes("{\"n\":\($0)}")) })
        for number in 1...4 { try await store.write { transaction in try transaction.enqueue(draft(number)) } }
        try await store.write { transaction in
            try transaction.removeRow(at: key(1))
            for number in 1...2 { try transaction.removeEntry(draft(number).id, outcome: "accepted", at: 8) }
        }
        try store.close()
        let path = URL(fileURLWithPath: old.path + "/data.mdb")
        var file = try Data(contentsOf: path)
        // The newest meta page names the root of the list. LMDB: `mm_txnid`, `mm_dbs`.
        let newest = file[144] > file[4096 + 144] ? 0 : 4096
        let list = (0..<4).reduce(0) { $0 | Int(file[newest + 80 + $1]) << (8 * $1) } * 4096
        file.replaceSubrange(list..<list + 4096, with: Data(count: 4096))
        try file.write(to: path)
        let report = try Store.salvage(at: old.path, to: new.path, host: .test)
        #expect(report.writeCount == 2 && report.findings == 0, "\(report)")
        let salvaged = try new.open()
        let entries = try salvaged.read { view in try view.readableOutboxHeads().entries.map(\.id) }
        #expect(entries == [draft(3).id, draft(4).id])
        #expect(try salvaged.read { view in try view.payload(at: key(1)) } == nil)
        #expect(try salvaged.read { view in try view.payload(at: key(2)) } == bytes("{\"n\":2}"))
        try salvaged.close()
    }
}
