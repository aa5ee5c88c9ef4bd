// Proves from which bounds on space, files and the cap are reported; no store is needed.

import LarderFormat
import Testing

@testable import cachetool

@Suite struct `The checks of space` {
    private func found(_ change: (inout DoctorFacts) -> Void) -> [String] {
        var facts = DoctorFacts(now: 0, redactor: Redactor(isOn: false, store: UUIDBytes(high: 0, low: 0)))
        facts.space = SpaceFacts(fileSize: 409_600, usedPages: 90, pages: 100, storedSize: 300_000)
        facts.journal = JournalFacts()
        change(&facts)
        return DoctorCheck.diagnoses(facts).map { "\($0.severity.rawValue) \($0.check)" }
    }

    @Test func `report free space below 256 MiB, as broken below 16 MiB and the size of the store`() {
        #expect(found { $0.files.freeSpace = 256 << 20 } == [])
        #expect(found { $0.files.freeSpace = 255 << 20 } == ["attention disk"])
        #expect(found { $0.files.freeSpace = 15 << 20 } == ["attention disk"])
        #expect(found { $0.files.freeSpace = 300_000 } == ["broken disk"])
        #expect(
            found {
                $0.files.freeSpace = 15 << 20
                $0.space?.fileSize = 1 << 30
            } == ["broken disk"])
        #expect(found { $0.files.freeSpace = nil } == [])
    }

    @Test func `report a file that uses most of its map`() {
        func pages(_ count: Int) -> [String] {
            found { $0.space = SpaceFacts(usedPages: count, pages: count, mapCap: 4_096_000) }
        }
        #expect(pages(799) == [])
        #expect(pages(800) == ["attention map"])
        #expect(pages(980) == ["broken map"])
    }

    @Test func `report a cap that is used up, as broken where little may be evicted`() {
        #expect(found { $0.space?.cap = 400_000 } == [])
        #expect(found { $0.space?.cap = 310_000 } == ["note cap"])
        let order = found { facts in
            facts.space?.cap = 310_000
            facts.space?.heldSize = 290_000
        }
        #expect(order == ["broken cap"])
    }

    @Test func `report unused pages where they are half of the file and enough`() {
        #expect(found { $0.space = SpaceFacts(usedPages: 2000, pages: 4048) } == ["note unused-pages"])
        #expect(found { $0.space = SpaceFacts(usedPages: 2100, pages: 4048) } == [])
        #expect(found { $0.space = SpaceFacts(usedPages: 10, pages: 100) } == [])
    }

    @Test func `report garbage, staged rows and leftovers, the latter two only where no process has the store open`() {
        func change(_ facts: inout DoctorFacts) {
            facts.space?.garbageSize = 10 << 20
            facts.space?.storedSize = 30 << 20
            facts.space?.stagingGenerations = 1
            facts.files.leftovers = ["opener-x.lock"]
        }
        #expect(found(change) == ["note garbage", "note staging", "note leftovers"])
        let order = found { facts in
            change(&facts)
            facts.isInUse = true
        }
        #expect(order == ["note garbage"])
    }

    @Test func `report readers, rights, evictions and a replaced file`() {
        let order = found { facts in
            facts.space?.usedReaders = 101
            facts.space?.evictedResources = 2
            facts.files.isWritable = false
            facts.files.damagedCopySize = 8192
            facts.journal?.evictions = 3
            facts.journal?.conflicts = 1
        }
        #expect(
            order == [
                "attention readers", "attention write-access", "attention damaged-copy", "note evictions",
                "note evicted", "note conflicts",
            ])
        #expect(found { $0.space?.usedReaders = 100 } == [])
    }

    @Test func `have large numbers in groups of digits`() {
        #expect(
            [0, 7, 304, 1_000, 206_978, -1_234_567].map { groupedText($0) }
                == ["0", "7", "304", "1,000", "206,978", "-1,234,567"])
    }

    @Test func `have sizes in words`() {
        #expect(
            [0, 999, 1_000, 9_949, 9_950, 999_499, 999_500, 9_077_000, 10_000_000_000, .max].map { sizeText($0) }
                == [
                    "0 bytes", "999 bytes", "1.0 KB", "9.9 KB", "10 KB", "999 KB", "1.0 MB", "9.1 MB", "10 GB",
                    "9223372 TB",
                ])
        #expect(countText(1, "copy", "copies") == "1 copy" && countText(2, "copy", "copies") == "2 copies")
    }
}
