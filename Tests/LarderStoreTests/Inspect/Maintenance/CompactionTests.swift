// Proves that compaction keeps every record, changes nothing when it fails, and that copies and statistics are right.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `Compaction` {
    private let directory = TemporaryStore()

    /// A closed store with much more file than content; answers its records.
    private func bloated() async throws -> [RawRecord] {
        let store = try directory.open()
        for round in 0..<4 {
            let payload = [UInt8](repeating: UInt8(round), count: 2_000)
            try await store.replace(translations, with: (0..<200).map { (key($0), payload) })
        }
        try await fillSample(store)
        try await store.reclaim()
        try store.close()
        return try records()
    }

    private func records() throws -> [RawRecord] {
        let raw = try RawStore(directory.path)
        defer { try? raw.close() }
        return try raw.records()
    }

    @Test func `makes the file smaller and keeps every record`() async throws {
        let before = try await bloated()
        let size = directory.fileSize
        let summary = try Store.compact(at: directory.path, host: .test)
        #expect(summary.sizeBefore == Int64(size))
        #expect(summary.sizeAfter == Int64(directory.fileSize))
        #expect(summary.sizeAfter < summary.sizeBefore / 2)
        #expect(try records() == before)
        let store = try directory.open()
        #expect(try store.findings() == [])
        try await store.put([key(1)])
        try store.close()
    }

    @Test func `is refused while the store is open`() async throws {
        _ = try await bloated()
        let store = try directory.open()
        #expect(throws: EngineError.heldByOthers) { try Store.compact(at: directory.path, host: .test) }
        try store.close()
        let reader = try directory.open(StoreOptions(access: .readOnly))
        #expect(throws: EngineError.heldByOthers) { try Store.compact(at: directory.path, host: .test) }
        try reader.close()
    }

    @Test func `waits for the directory's lock no longer than its limit`() async throws {
        _ = try await bloated()
        let holder = unsafe open(directory.path, O_RDONLY | O_DIRECTORY)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX) == 0)
        #expect(throws: EngineError.lockedElsewhere(name: "the store's directory", seconds: 0)) {
            try Store.compact(at: directory.path, host: .test, lockTimeout: .zero)
        }
    }

    @Test func `of damaged content is refused, and changes nothing`() async throws {
        var before = try await bloated()
        let raw = try RawStore(directory.path)
        let index = try #require(before.lastIndex { $0.table == .rows })
        before[index].value[20] ^= 1
        try raw.replace([before[index]], by: [before[index]])
        try raw.close()
        let size = directory.fileSize
        let error = #expect(throws: StoreError.self) { try Store.compact(at: directory.path, host: .test) }
        guard case .verificationFailed(_, let first)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(first.kind == .checksum)
        #expect(directory.fileSize == size)
        #expect(try records() == before)
    }

    @Test func `corrects a stored size that is wrong`() async throws {
        let before = try await bloated()
        let counters = try #require(before.first { $0.table == .meta && $0.key == CountersRecord.key })
        var wrong = try CountersRecord(decoding: counters.body.rawSpan)
        wrong.storedSize += 1_000
        let raw = try RawStore(directory.path)
        try raw.replace([counters], by: [counters.resealed(wrong.encode())])
        try raw.close()
        #expect(try Store.compact(at: directory.path, host: .test).sizeAfter == Int64(directory.fileSize))
        #expect(try records() == before)
    }

    @Test func `changes nothing when it is stopped midway`() async throws {
        struct Enough: Error {}
        let before = try await bloated()
        #expect(throws: Enough.self) { try Store.compact(at: directory.path, host: .test) { _ in throw Enough() } }
        #expect(try records() == before)
        #expect(try Store.compact(at: directory.path, host: .test).sizeAfter > 0)
    }

    @Test(arguments: [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000])
    func `leaves the old file or the new one, whole, when it is killed`(microseconds: Int) async throws {
        let before = try await bloated()
        let path = directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = microseconds as Int] in
            Thread.detachNewThread {
                usleep(UInt32(delay))
                kill(getpid(), SIGKILL)
            }
            while true { _ = try Store.compact(at: path, host: .test) }
        }
        #expect(try records() == before)
        let store = try directory.open()
        #expect(try store.findings() == [])
        try store.close()
        // Nothing of the killed one is in the way.
        #expect(try Store.compact(at: path, host: .test).sizeAfter > 0)
        #expect(try records() == before)
    }

    @Test func `of nothing is an error`() {
        #expect(throws: EngineError.self) { try Store.compact(at: directory.path, host: .test) }
    }
}

@Suite struct `A copy` {
    @Test func `made beside a writer is one commit, whole, and can be opened for reading`() async throws {
        let (source, target) = (TemporaryStore(), TemporaryStore())
        let store = try source.open()
        try await fillSample(store)
        let writer = Task {
            var number = 100
            while !Task.isCancelled {
                try await store.put([key(number), key(-number)])
                number += 1
            }
        }
        try await Task.sleep(for: .milliseconds(20))
        try store.copy(to: target.path)
        writer.cancel()
        _ = await writer.result
        #expect(throws: EngineError.keyExists) { try store.copy(to: target.path) }
        try store.close()
        let copy = try target.open(StoreOptions(access: .readOnly))
        #expect(try copy.findings() == [])
        let keys = try copy.keys(.all(of: translations)).compactMap { Int($0) }.filter { abs($0) >= 100 }
        #expect(keys.reduce(0, +) == 0)
        try copy.close()
    }
}

@Suite struct `Statistics` {
    @Test func `count the stored records`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fillSample(store)
        let found = try store.statistics()
        #expect(found.formatVersion == "0.9")
        #expect(found.createdBy.hasPrefix("Larder"))
        #expect(found.resources.ready == 2)
        #expect(found.resources.hidden == 1)
        #expect(found.resources.empty == 1)
        #expect(found.resources.total == 4)
        #expect(found.rows == 5)
        #expect(found.generations.counts == [2, 0, 0])
        #expect(found.filters == 1)
        #expect(found.members == 1)
        #expect(found.journalRecords == 1)
        #expect(found.outboxEntries == 2)
        #expect(found.outboxLanes == 2)
        #expect(found.oldestOutboxEntryAt == 2)
        #expect(found.fileSize == Int64(directory.fileSize))
        #expect(found.usedPages <= found.lastPage + 1)
        #expect(found.tables.count == TableName.allCases.count)
        let bytes = try store.verify { _ in }.bytes
        #expect(found.storedSize > 0 && found.storedSize < bytes)
        #expect(found.readers.maximum == 126)
        try store.close()
    }
}
