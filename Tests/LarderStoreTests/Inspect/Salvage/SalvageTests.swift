// Proves that a salvage keeps every record on pages that are not damaged, and that the new store verifies.

import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite struct `A salvage` {
    @Test func `keeps everything of a store that is whole`() async throws {
        let (old, new) = (TemporaryStore(), TemporaryStore())
        let store = try old.open()
        try await fillSample(store)
        try store.close()
        let report = try Store.salvage(at: old.path, to: new.path, host: .test)
        #expect(report.findings == 0 && report.isComplete && report.writeCount == 2, "\(report)")
        let (before, after) = (try records(old), try records(new))
        for record in before where !isMadeAnew(record) {
            #expect(after.contains(record), "\(record.table) \(record.key)")
        }
        #expect(after.filter { !isMadeAnew($0) }.count == before.filter { !isMadeAnew($0) }.count)
    }

    /// Zeros, and another page's bytes: what a bad sector and a misplaced write leave.
    @Test(arguments: [false, true])
    func `loses no more than one page has when that is destroyed`(isMisplaced: Bool) async throws {
        let old = TemporaryStore()
        let store = try old.open()
        try await fillSample(store)
        try store.close()
        let before = try records(old)
        let file = try Data(contentsOf: URL(fileURLWithPath: old.path + "/data.mdb"))
        let pageCount = file.count / 4096
        var pagesOfMembers = 0
        for page in 0..<pageCount {
            let range = page * 4096..<(page + 1) * 4096
            let bytes = file[range]
            let other = (page + 1) % pageCount * 4096
            let damaged = isMisplaced ? file[other..<other + 4096] : Data(count: 4096)
            let saved = try salvage(file, replacing: range, by: damaged)
            #expect(saved.report.findings == 0, "page \(page): \(saved.report)")
            for record in before where isUnconditional(record) && !contains(bytes, record) {
                #expect(saved.records.contains(record), "page \(page): \(record.table) \(record.key)")
            }
            // A filter whose list of resources is lost begins again.
            if saved.records.contains(where: { $0.table == .members }) { continue }
            pagesOfMembers += 1
            for record in saved.records where record.table == .filters {
                let body = record.value.rawSpan.extracting(droppingFirst: RecordHeader.size)
                let filter = try FilterState(decoding: body)
                #expect(filter.token == nil && saved.report.resyncedFilters == ["translations:19"], "page \(page)")
            }
        }
        #expect(pagesOfMembers > 0)
    }

    @Test func `brings every entry of the outbox whose head and body are there, once, in its order`() async throws {
        let old = TemporaryStore()
        let store = try old.open()
        try await store.write { transaction in
            for number in 1...400 { try transaction.enqueue(draft(number, lane: "lane \(number % 7)")) }
            for number in 1...100 { try transaction.removeEntry(draft(number).id, outcome: "accepted", at: 8) }
        }
        let entries = try store.read { view in try view.readableOutboxHeads().entries }
        try store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: old.path + "/data.mdb"))
        var inDoubt = 0
        for page in 2..<file.count / 4096 {
            let range = page * 4096..<(page + 1) * 4096
            let bytes = file[range]
            let saved = try salvage(file, replacing: range, by: Data(count: 4096)) { store in
                try store.read { view in try view.readableOutboxHeads().entries }
            }
            let found = try #require(saved.result)
            #expect(found == found.sorted { ($0.lane, $0.sequence) < ($1.lane, $1.sequence) })
            #expect(Set(found.map(\.id)).count == found.count)
            #expect(found.allSatisfy { entry in entries.contains { $0.id == entry.id } }, "page \(page)")
            for entry in entries where !found.contains(where: { $0.id == entry.id }) {
                let isHit = try keys(of: entry).contains { bytes.range(of: Data($0)) != nil }
                #expect(isHit, "page \(page): \(entry.id)")
            }
            // A delivery that is lost is made again: the server may have the entry, under the same key.
            for entry in found where entry.delivery.isInDoubt {
                inDoubt += 1
                #expect(try bytes.range(of: Data(keys(of: entry)[2])) != nil && entry.tries == 1, "page \(page)")
            }
            #expect(saved.report.findings == 0, "page \(page): \(saved.report)")
        }
        #expect(inDoubt > 0)
    }

    @Test(arguments: [11, 12, 13])
    func `returns 98 of 100 records that are on whole pages when one page of 100 is destroyed`(seed: Int) async throws {
        let old = TemporaryStore()
        let store = try old.open()
        for number in 1...40 {
            let resource = ResourceKey("translations", Int64(number))
            let rows = (1...400).map { (key($0, resource), bytes("{\"number\":\($0),\"of\":\(number)}")) }
            try await store.replace(resource, with: rows)
        }
        try await store.write { transaction in for number in 1...300 { try transaction.enqueue(draft(number)) } }
        try store.close()
        let before = try records(old)
        var file = try Data(contentsOf: URL(fileURLWithPath: old.path + "/data.mdb"))
        let original = file
        var random = SeededGenerator(seed: UInt64(seed))
        var destroyed: [Range<Int>] = []
        for _ in 0..<max(1, file.count / 4096 / 100) {
            let page = Int.random(in: 2..<file.count / 4096, using: &random)
            let range = page * 4096..<(page + 1) * 4096
            destroyed.append(range)
            file.replaceSubrange(range, with: (0..<4096).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        }
        let saved = try salvage(file, replacing: 0..<0, by: Data())
        #expect(saved.report.findings == 0, "seed \(seed): \(saved.report)")
        let expected = before.filter { record in
            isUnconditional(record) && !destroyed.contains { contains(original[$0], record) }
        }
        let found = Set(saved.records)
        let kept = expected.count { found.contains($0) }
        #expect(kept * 100 >= expected.count * 98, "seed \(seed): \(kept) of \(expected.count)")
    }

    /// Without the list of free pages, records of earlier times are found too.
    @Test(arguments: [true, false])
    func `never sends a rejected entry, and never shows rows that were replaced`(hasFreeList: Bool) async throws {
        let old = TemporaryStore()
        let store = try old.open()
        for round in 1...4 {
            for number in 1...12 {
                let resource = ResourceKey("translations", Int64(number))
                let rows = (1...40).map { (key($0, resource), bytes("{\"round\":\(round),\"number\":\($0)}")) }
                try await store.replace(resource, with: rows)
            }
            try await store.write { transaction in
                for number in 1...20 {
                    let effect = RowEffect(.replacement(bytes("{}")), at: key("note \(number)", tafsirs))
                    let entry = draft(round * 100 + number)
                    try transaction.enqueue(entry, effects: number % 2 == 0 ? [effect] : [])
                    try transaction.rejectEntry(entry.id, OutboxDelivery(), detail: "no", at: 9)
                }
            }
        }
        try store.close()
        var file = try Data(contentsOf: URL(fileURLWithPath: old.path + "/data.mdb"))
        let newest = file[144] > file[4096 + 144] ? 0 : 4096
        let freeList = (0..<4).reduce(0) { $0 | Int(file[newest + 80 + $1]) << (8 * $1) } * 4096
        if !hasFreeList { file.replaceSubrange(freeList..<freeList + 4096, with: Data(count: 4096)) }
        for page in 0..<file.count / 4096 {
            let range = page * 4096..<(page + 1) * 4096
            let row = bytes("{\"round\":4,\"number\":1}")
            let hasRows = file[range].range(of: Data(row)) != nil
            let saved = try salvage(file, replacing: range, by: Data(count: 4096)) { store in
                try store.read { view in
                    for number in 1...12 {
                        let first = try view.payload(at: key(1, ResourceKey("translations", Int64(number))))
                        #expect(first == row || (first == nil && hasRows), "page \(page), \(number)")
                    }
                    return try view.readableOutboxHeads().entries
                }
            }
            let entries = try #require(saved.result)
            #expect(entries.allSatisfy { $0.delivery.state == .rejected }, "page \(page)")
            #expect(entries.count + saved.report.lostWrites.count <= 80 && saved.report.findings == 0, "page \(page)")
        }
    }

    @Test func `does not trust a record of a resource on a page that no tree leads to`() async throws {
        let old = TemporaryStore()
        let path = URL(fileURLWithPath: old.path + "/data.mdb")
        let resource = ResourceKey("translations", 19)
        var pages: [Data] = []
        var numbers: [Int] = []
        for round in 1...2 {
            let store = try old.open()
            try await store.replace(resource, with: [(key(1, resource), bytes("{\"round\":\(round)}"))])
            try store.close()
            let record = try #require(try records(old).first { $0.table == .resources })
            let file = try Data(contentsOf: path)
            let place = try #require(file.range(of: Data(record.key + record.value)))
            numbers.append(place.lowerBound / 4096)
            pages.append(file[numbers[round - 1] * 4096..<(numbers[round - 1] + 1) * 4096])
        }
        var file = try Data(contentsOf: path)
        // The leaf of the first round, as a page behind the others: its number is in its first eight bytes.
        var leaf = Data(pages[0])
        leaf.replaceSubrange(0..<8, with: [UInt8(file.count / 4096), 0, 0, 0, 0, 0, 0, 0])
        file.append(leaf)
        let range = numbers[1] * 4096..<(numbers[1] + 1) * 4096
        let saved = try salvage(file, replacing: range, by: Data(count: 4096)) { store in
            try store.read { view in try view.payload(at: key(1, resource)) }
        }
        #expect(saved.result == bytes("{\"round\":2}"), "\(saved.report)")
        #expect(saved.report.incompleteResources == [resource] && saved.report.findings == 0, "\(saved.report)")
    }

    @Test func `does not trust a meta page of an earlier time, nor a list of tables that is none`() async throws {
        let old = TemporaryStore()
        let store = try old.open()
        for number in 1...3 { try await store.write { transaction in try transaction.enqueue(draft(number)) } }
        try store.close()
        let path = URL(fileURLWithPath: old.path + "/data.mdb")
        let early = try Data(contentsOf: path)
        let again = try old.open()
        for number in 1...3 {
            try await again.write { transaction in
                try transaction.removeEntry(draft(number).id, outcome: "accepted", at: 8)
            }
        }
        try again.close()
        let file = try Data(contentsOf: path)
        for page in 0...1 {
            let range = page * 4096..<(page + 1) * 4096
            let saved = try salvage(file, replacing: range, by: early[range])
            #expect(saved.report.writeCount == 0 && saved.report.findings == 0, "page \(page): \(saved.report)")
        }
        // The size of a page, as the first meta page has it: 8192 in place of 4096.
        let resized = try salvage(file, replacing: 40..<44, by: Data([0, 0x20, 0, 0]))
        #expect(resized.report.records["journal"] == 3 && resized.report.findings == 0, "\(resized.report)")
        let both = try salvage(file, replacing: 0..<8192, by: early[0..<8192])
        #expect(both.report.findings == 0, "\(both.report)")
        #expect(throws: StoreError.notAStore) { () throws in
            _ = try self.salvage(file, replacing: 8192..<file.count, by: Data(count: file.count - 8192))
        }
    }

    @Test func `needs memory for the pages of the file only, whatever a meta page says is the last one`() async throws {
        let old = TemporaryStore()
        let store = try old.open()
        for number in 1...3 { try await store.write { transaction in try transaction.enqueue(draft(number)) } }
        try store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: old.path + "/data.mdb"))
        // The fifth byte of `mm_last_pg`: almost 2^40 pages, for each of which the walk would need a bit.
        for place in [140, 4096 + 140] {
            let saved = try salvage(file, replacing: place..<place + 1, by: Data([0xFF]))
            #expect(saved.report.writeCount == 3, "\(saved.report)")
        }
    }

    // MARK: -

    private func records(_ directory: TemporaryStore) throws -> [RawRecord] {
        let store = try RawStore(directory.path)
        let records = try store.records()
        try store.close()
        return records
    }

    private func salvage<Result>(
        _ file: Data, replacing range: Range<Int>, by bytes: Data, _ body: (Store) throws -> Result? = { _ in () }
    ) throws -> (report: SalvageReport, records: [RawRecord], result: Result?) {
        let (old, new) = (TemporaryStore(), TemporaryStore())
        try FileManager.default.createDirectory(atPath: old.path, withIntermediateDirectories: false)
        var damaged = file
        damaged.replaceSubrange(range, with: bytes)
        try damaged.write(to: URL(fileURLWithPath: old.path + "/data.mdb"))
        try Data().write(to: URL(fileURLWithPath: old.path + "/guard.lock"))
        let report = try Store.salvage(at: old.path, to: new.path, host: .test)
        let store = try new.open()
        let result = try body(store)
        try store.close()
        return (report, try records(new), result)
    }

    /// Whether the salvage makes the record from others, or changes it where something else is lost.
    private func isMadeAnew(_ record: RawRecord) -> Bool {
        switch record.table {
        case .indexes, .garbage: true
        case .meta: record.key == CountersRecord.key
        default: false
        }
    }

    /// Whether the record stays as it is, whatever else is lost.
    private func isUnconditional(_ record: RawRecord) -> Bool {
        switch record.table {
        case .rows: (try? RowKeyCoding.decode(record.key.rawSpan).row) ?? nil != nil && record.value.count < 1000
        case .journal: true
        case .buffers: if case .point = try? BufferKey(decoding: record.key.rawSpan) { true } else { false }
        default: false
        }
    }

    private func contains(_ page: Data, _ record: RawRecord) -> Bool { page.range(of: Data(record.key)) != nil }

    private func keys(of entry: OutboxEntry) throws -> [[UInt8]] {
        try [
            OutboxKey.head(lane: entry.lane, sequence: entry.sequence), .body(sequence: entry.sequence),
            .delivery(entryID: entry.id),
        ].map { key in
            var buffer = KeyBuffer()
            try key.append(to: &buffer)
            return buffer.array()
        }
    }
}
