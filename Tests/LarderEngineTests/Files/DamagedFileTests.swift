// Proves that opening a damaged file gives a typed error or the same content, and never ends the process.

import Foundation
import LarderEngine
import Testing

/// What opens a damaged file answers with a typed error or with the very same content, and never ends the process.
@Suite(.serialized) struct `A damaged file` {
    /// Pitfall P54: a file cut short.
    @Test(arguments: [true, false]) func `cut anywhere is detected`(hasGuard: Bool) throws {
        let store = try SampleStore()
        let size = store.data.count
        var lengths = Set(stride(from: 0, through: size, by: 4096))
        for length in [1, 2, 15, 16, 151, 152, 153, 4095, 4097, 4247, 4248, 4249, 8191, 8193, size - 1, size - 4097] {
            lengths.insert(length)
        }
        for length in lengths.sorted() {
            let outcome = try store.outcome(cutTo: length, hasGuard: hasGuard)
            if length == size {
                #expect(outcome == .same)
            } else if hasGuard || length < 8192 {
                #expect(outcome.isDamage, "\(length) of \(size) bytes: \(outcome)")
            } else {
                // The last pages may be free ones.
                #expect(outcome.isDamage || outcome == .same, "\(length) of \(size) bytes: \(outcome)")
            }
        }
    }

    @Test func `with any changed meta byte is detected or harmless beside the copy of the last clean close`() throws {
        try forEachFlip(of: SampleStore(), hasGuard: true) { _, outcome in outcome.isDamage || outcome == .same }
    }

    @Test func `of the guard never prevents a sound store from opening`() throws {
        let store = try SampleStore()
        for byte in 0..<1024 {
            for mask in masks {
                let outcome = try store.outcome(flippingGuard: mask, at: byte)
                #expect(outcome == .same, "byte \(byte), mask \(mask): \(outcome)")
            }
        }
    }

    /// Without the copy, what the meta pages say is compared with the free list and the list of tables. One change
    /// stays unseen: the number of the newest commit lowered by two, which is what a failed write of a meta page
    /// leaves behind, and is answered alike, with the commit before.
    @Test(arguments: [1, 2, 3, 4, 9])
    func `with any changed meta byte is detected or harmless without that copy`(commits: Int) throws {
        try forEachFlip(of: SampleStore(commits: commits), hasGuard: false) { byte, outcome in
            let isLowered = (144..<152).contains(byte) && outcome == .previous
            return outcome.isDamage || outcome == .same || isLowered
        }
    }

    /// Opens a store once for each bit, and each whole byte, flipped in what LMDB uses of its meta pages.
    private func forEachFlip(
        of store: SampleStore, hasGuard: Bool, _ isExpected: (_ byte: Int, SampleStore.Outcome) -> Bool
    ) throws {
        for page in 0..<2 {
            for byte in 0..<152 {
                for mask in masks {
                    let outcome = try store.outcome(flipping: mask, at: page * 4096 + byte, hasGuard: hasGuard)
                    #expect(isExpected(byte, outcome), "page \(page), byte \(byte), mask \(mask): \(outcome)")
                }
            }
        }
        #expect(try store.outcome(flipping: 0, at: 0, hasGuard: hasGuard) == .same)
    }

    private let masks: [UInt8] = [1, 2, 4, 8, 16, 32, 64, 128, 255]
}

/// A cleanly closed store, its file, and what it holds.
private struct SampleStore {
    let data: Data
    private let directory = TemporaryDirectory()
    private let record: Data
    private let rows: [Row]
    private let previousRows: [Row]

    enum Outcome: Equatable {
        case same, previous, other
        case error(EngineError)

        var isDamage: Bool {
            if case .error = self { true } else { false }
        }
    }

    /// - Parameter commits: how many commits change the table, the last among them.
    init(commits: Int = 6) throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        var history: [[Row]] = [[]]
        for commit in 0..<commits {
            try environment.writeBlocking { transaction in
                for row in 0..<40 {
                    let value = [UInt8](repeating: UInt8(commit), count: row == 7 ? 9000 : 60)
                    try transaction.set([UInt8(row)], value, in: table)
                }
            }
            history.append(try environment.contents())
        }
        (rows, previousRows) = (history[commits], history[commits - 1])
        try environment.close()
        data = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
        record = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/guard.lock"))
    }

    /// Opens the store cut to a length.
    func outcome(cutTo length: Int, hasGuard: Bool) throws -> Outcome {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try file.truncate(atOffset: UInt64(length))
        defer {
            try? file.seek(toOffset: UInt64(length))
            try? file.write(contentsOf: data.dropFirst(length))
        }
        return try outcome(hasGuard: hasGuard)
    }

    /// Opens the store with one byte changed.
    func outcome(flipping mask: UInt8, at offset: Int, hasGuard: Bool) throws -> Outcome {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [data[offset] ^ mask])
        defer {
            try? file.seek(toOffset: UInt64(offset))
            try? file.write(contentsOf: [data[offset]])
        }
        return try outcome(hasGuard: hasGuard)
    }

    /// Opens the store with one byte of `guard.lock` changed.
    func outcome(flippingGuard mask: UInt8, at offset: Int) throws -> Outcome {
        var changed = record
        changed[offset] ^= mask
        return try outcome(guarded: changed)
    }

    private func outcome(hasGuard: Bool) throws -> Outcome { try outcome(guarded: hasGuard ? record : nil) }

    private func outcome(guarded record: Data?) throws -> Outcome {
        let guardPath = directory.path + "/guard.lock"
        try? FileManager.default.removeItem(atPath: guardPath)
        if let record { try record.write(to: URL(fileURLWithPath: guardPath)) }
        do {
            let options = EnvironmentOptions(access: .readOnly, tables: ["one", "two"], mapSize: 1 << 30)
            let environment = try Environment.open(path: directory.path, options: options)
            defer { try? environment.close() }
            let found = try environment.contents()
            return found == rows ? .same : found == previousRows ? .previous : .other
        } catch let error as EngineError {
            return .error(error)
        }
    }
}

/// LMDB counts pages that were taken and given back unwritten, so a sound file can end before its last page.
@Suite struct `A file shorter than its last page` {
    @Test func `opens as long as only free pages are missing`() throws {
        let directory = TemporaryDirectory()
        var environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        for round in 0..<9 { try environment.set([1], [UInt8(round)]) }
        try environment.writeBlocking { transaction in
            try transaction.set([1], [10], in: table)
            try transaction.set([2], [UInt8](repeating: 2, count: 3_000_000), in: table)
            _ = try transaction.remove(key: [2], in: table)
        }
        let info = try environment.info()
        #expect(info.fileSize < info.lastPage * info.pageSize)
        try environment.close()
        for hasGuard in [true, false] {
            if !hasGuard { try FileManager.default.removeItem(atPath: directory.path + "/guard.lock") }
            environment = try Environment.open(path: directory.path, options: .small)
            #expect(try environment.contents() == [Row(key: [1], value: [10])])
            try environment.close()
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try file.truncate(atOffset: info.fileSize / 2)
        try file.close()
        let error = #expect(throws: EngineError.self) { try Environment.open(path: directory.path, options: .small) }
        guard case .truncated = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
