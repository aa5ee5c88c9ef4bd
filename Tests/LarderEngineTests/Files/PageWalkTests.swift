// Proves that a check of the pages finds whatever liblmdb would misread, that it finds nothing in sound files, and that damage does
// not spread.

import Foundation
import LarderEngine
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A check of the pages` {
    @Test(arguments: 0..<6) func `finds nothing in a sound file`(shape: Int) throws {
        let store = try PageStore(seed: UInt64(shape), rows: [0, 1, 40, 400, 1500, 300][shape], rounds: shape)
        #expect(try store.problems() == [])
    }

    /// Of what it lets pass, liblmdb reads what was written, but for the key and the value of one record, which has a
    /// checksum; and it finds each key.
    @Test func `finds every changed bit that liblmdb would misread`() throws {
        let seed = UInt64.random(in: 0...9999)
        var random = SeededGenerator(seed: seed)
        let store = try PageStore(seed: seed, rows: 500, rounds: 3)
        let expected = try store.contents()
        let pages = store.usedPages().sorted()
        var found = 0
        for _ in 0..<400 {
            let page = pages[Int.random(in: pages.indices, using: &random)]
            let offset = page * 4096 + Int.random(in: 0..<4096, using: &random)
            let mask = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try store.flipping(mask, at: offset) {
                if try store.hasProblem() {
                    found += 1
                    return
                }
                let contents = try store.contents()
                #expect(
                    try store.hasOneRecordChanged(in: contents, expected), "seed \(seed), byte \(offset), mask \(mask)")
            }
        }
        #expect(found > 20, "only \(found) changes were found")
    }

    /// Those liblmdb trusts most: sizes, flags and offsets of pages and nodes, separators, and the free list.
    @Test func `finds each changed byte of headers, slots, separators and free lists`() throws {
        let seed = UInt64.random(in: 0...9999)
        let store = try PageStore(seed: seed, rows: 500, rounds: 3)
        let expected = try store.contents()
        for (offset, kind) in store.trustedBytes() {
            for mask: UInt8 in [1, 0x10, 0x80] {
                try store.flipping(mask, at: offset) {
                    if try store.hasProblem() { return }
                    let place = "seed \(seed), \(kind) at \(offset), mask \(mask)"
                    // The least bits of a separator may separate the same keys.
                    #expect(kind == .separator || kind == .key, "\(place)")
                    #expect(try store.hasOneRecordChanged(in: store.contents(), expected), "\(place)")
                }
            }
        }
    }

    @Test func `finds a value that is longer than its pages`() throws {
        let store = try DamagedStore()
        // A page more than the three that its 9000 bytes have.
        try store.overwrite([UInt8((9000 + 4096) >> 8)], at: store.node(of: 3) + 1)
        #expect(try store.problems().map(\.reason) == ["the pages of a large value are others"])
    }

    @Test func `in steps finds what a whole one finds, while commits go on between them`() throws {
        let store = try PageStore(seed: 9, rows: 1500, rounds: 2)
        let environment = try Environment.open(path: store.path, options: .small)
        var scrub = PageScrub()
        var steps = 0
        repeat {
            #expect(try environment.checkPages(&scrub, budget: 5) == [])
            try environment.set([1, UInt8(steps % 256)], [UInt8](repeating: 1, count: 100))
            steps += 1
        } while !scrub.isAtStart
        #expect(steps > 5)
        try environment.close()
        let damaged = try PageStore(seed: 10, rows: 1500, rounds: 2)
        for (offset, _) in damaged.trustedBytes().filter({ $0.kind == .header }) {
            try damaged.flipping(0x80, at: offset) {
                let reader = EnvironmentOptions(access: .readOnly, tables: ["one", "two"], mapSize: 1 << 30)
                let environment = try Environment.open(path: damaged.path, options: reader)
                defer { try? environment.close() }
                var (scrub, found) = (PageScrub(), 0)
                repeat { found += try environment.checkPages(&scrub, budget: 5).count } while !scrub.isAtStart
                #expect(found > 0, "byte \(offset)")
            }
        }
    }

    @Test func `precedes the first write, and nothing is written to a damaged file`() throws {
        let store = try PageStore(seed: 7, rows: 500, rounds: 3)
        let separator = try #require(store.trustedBytes().first { $0.kind == .separator })
        try store.flipping(0x40, at: separator.offset) {
            let environment = try Environment.open(path: store.path, options: .small)
            for _ in 0..<2 {
                let error = #expect(throws: EngineError.self) { try environment.set([1], [1]) }
                guard case .damagedPage = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            try environment.close()
            // That close was not a clean one, so the open checks all pages.
            #expect(throws: EngineError.self) { try Environment.open(path: store.path, options: .small) }
        }
        try store.flipping(0x40, at: separator.offset) {
            let error = #expect(throws: EngineError.self) {
                try Environment.compact(path: store.path, tables: ["one", "two"]) { _ in }
            }
            if case .damagedPage = error { return }
            Issue.record("\(String(describing: error))")
        }
        #expect(try store.isUnchanged())
    }

    @Test func `precedes the first read where no clean close vouches for the file`() throws {
        let store = try PageStore(seed: 8, rows: 500, rounds: 3)
        let separator = try #require(store.trustedBytes().first { $0.kind == .separator })
        try store.flipping(0x40, at: separator.offset) {
            try FileManager.default.removeItem(atPath: store.path + "/guard.lock")
            let error = #expect(throws: EngineError.self) {
                try Environment.open(path: store.path, options: .small)
            }
            guard case .damagedPage = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `finds nothing while another thread writes`() async throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        async let writes: Void = {
            for round in 0..<200 {
                try environment.writeBlocking(durability: .relaxed) { transaction in
                    for row in 0..<50 {
                        let key = [UInt8(row), UInt8((round * 7 + row) % 256)]
                        try transaction.set(key, [UInt8](repeating: 1, count: row * 90), in: table)
                        _ = try transaction.remove(key: [UInt8(row), UInt8((round * 3) % 256)], in: table)
                    }
                }
            }
        }()
        for _ in 0..<40 { #expect(try environment.pageProblems() == []) }
        try await writes
        #expect(try environment.pageProblems() == [])
        try environment.close()
    }
}

/// A cleanly closed store with branch pages, large values and a free list.
private struct PageStore {
    enum Kind { case header, slot, node, separator, key, freeList, largeValue }

    let data: Data
    private let directory = TemporaryDirectory()
    private let guardRecord: Data

    var path: String { directory.path }

    init(seed: UInt64, rows: Int, rounds: Int) throws {
        var random = SeededGenerator(seed: seed)
        let environment = try Environment.open(path: directory.path, options: .small)
        for round in 0...rounds {
            try environment.writeBlocking { transaction in
                for row in 0..<rows {
                    let key = Array("key \((row * 7919) % 10000) of a table".utf8)
                    let size = row % 97 == 0 ? 9000 : Int.random(in: 10..<120, using: &random)
                    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: row), count: size)
                    try transaction.set(key, value, in: environment.table(row % 5 == 0 ? "two" : "one"))
                    if round > 0, row % 3 == round {
                        _ = try transaction.remove(key: key, in: environment.table("one"))
                    }
                }
            }
        }
        try environment.close()
        data = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
        guardRecord = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/guard.lock"))
    }

    func problems() throws -> [PageProblem] { try Environment.pageProblems(ofStoreAt: path) ?? [] }

    /// Whether damage is found; that of a root is found with the meta page that names it, and that of a table's name when
    /// the table is opened.
    func hasProblem() throws -> Bool {
        do {
            if try !problems().isEmpty { return true }
            try reading { _ in }
            return false
        } catch EngineError.damagedMeta {
            return true
        } catch EngineError.missingTable {
            return true
        }
    }

    /// Everything in both tables, as liblmdb walks over it.
    func contents() throws -> [Row] {
        try reading { environment in try environment.contents(of: "one") + environment.contents(of: "two") }
    }

    /// Whether liblmdb finds each of the keys.
    func finds(_ keys: [[UInt8]]) throws -> Bool {
        try reading { environment in
            try environment.read { view in
                for key in keys {
                    let isInOne = try view.get(key, in: environment.table("one")) != nil
                    if try !isInOne && view.get(key, in: environment.table("two")) == nil { return false }
                }
                return true
            }
        }
    }

    /// Whether at most one record differs from the expected ones, and each key is found.
    func hasOneRecordChanged(in contents: [Row], _ expected: [Row]) throws -> Bool {
        let changed = zip(contents, expected).count { $0 != $1 }
        return try contents.count == expected.count && changed <= 1 && finds(contents.map(\.key))
    }

    private func reading<Result>(_ body: (Environment) throws -> Result) throws -> Result {
        let options = EnvironmentOptions(access: .readOnly, tables: ["one", "two"], mapSize: 1 << 30)
        let environment = try Environment.open(path: path, options: options)
        defer { try? environment.close() }
        return try body(environment)
    }

    /// Runs `body` while a byte of the file is another; the guard is that of the clean close.
    func flipping(_ mask: UInt8, at offset: Int, _ body: () throws -> Void) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/data.mdb"))
        func write(_ byte: UInt8) throws {
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: [byte])
        }
        try guardRecord.write(to: URL(fileURLWithPath: path + "/guard.lock"))
        try write(data[offset] ^ mask)
        defer { try? write(data[offset]) }
        try body()
    }

    func isUnchanged() throws -> Bool { try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")) == data }

    /// The bytes that liblmdb trusts, in every seventh used page.
    func trustedBytes() -> [(offset: Int, kind: Kind)] {
        var bytes: [(offset: Int, kind: Kind)] = []
        for number in usedPages().sorted() where number % 7 == 0 || u16(number * 4096 + 10) == 1 {
            let page = number * 4096
            let isLeaf = u16(page + 10) == 2
            guard isLeaf || u16(page + 10) == 1 else {
                bytes += [0, 10, 12].map { (page + $0, .largeValue) }
                continue
            }
            bytes += [0, 10, 11, 12, 13, 14, 15].map { (page + $0, .header) }
            for (index, slot) in stride(from: 16, to: Int(u16(page + 12)), by: 2).enumerated() where index % 4 == 1 {
                let node = page + Int(u16(page + slot))
                bytes += [(page + slot, .slot), (page + slot + 1, .slot), (node + 6, .key), (node + 7, .node)]
                // A wrong size of a large value that fits its pages is found by the checksum of its record.
                let isLarge = isLeaf && u16(node + 4) & 1 != 0
                bytes += [(node + 1, isLarge ? .key : .node), (node + (isLeaf ? 2 : 0), .node)]
                if isLeaf { bytes.append((node + 4, .node)) }
                bytes += [(node + 8, isLeaf ? .key : .separator), (node + 12, isLeaf ? .key : .separator)]
            }
        }
        return bytes
    }

    /// The pages below the roots of the newest commit, by a walk of the test's own.
    func usedPages() -> Set<Int> {
        let meta = u64(144) > u64(4096 + 144) ? 0 : 4096
        var used: Set<Int> = []
        func visit(_ root: UInt64) {
            guard root != .max else { return }
            let page = Int(root) * 4096
            used.insert(Int(root))
            for slot in stride(from: 16, to: Int(u16(page + 12)), by: 2) {
                let node = page + Int(u16(page + slot))
                let value = node + 8 + Int(u16(node + 6))
                if u16(page + 10) == 1 {
                    visit(UInt64(u16(node)) | UInt64(u16(node + 2)) << 16 | UInt64(u16(node + 4)) << 32)
                } else if u16(node + 4) & 1 != 0 {
                    used.insert(Int(u64(value)))
                } else if u16(node + 4) & 2 != 0 {
                    visit(u64(value + 40))
                }
            }
        }
        visit(u64(meta + 40 + 40))
        visit(u64(meta + 88 + 40))
        return used
    }

    private func u16(_ offset: Int) -> UInt16 { UInt16(data[offset]) | UInt16(data[offset + 1]) << 8 }
    private func u64(_ offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(data[offset + $1]) << UInt64(8 * $1) }
    }
}
