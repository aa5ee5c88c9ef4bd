// Proves that the staged rows of a killed process are never shown and become garbage at the next open.

import LarderFormat
import Synchronization
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `Staged rows of a killed process` {
    @Test func `are never shown, become garbage at the next open, and free their space`() async throws {
        let directory = TemporaryStore()
        let first = try directory.open()
        try await first.replace(translations, with: [(key(1), bytes("shown"))])
        try await first.reclaim()
        let size = try first.statistics().storedSize
        let staging = try await first.beginStaging(translations)
        var batch = RowBatch(for: staging)
        for number in 0..<500 {
            try batch.append(bytes("staged").rawSpan, type: "translation", key: String(number), updatedAt: 1)
        }
        try await first.stage(batch, in: staging)
        try first.close()

        let second = try directory.open()
        #expect(try second.read { view in try view.resource(translations)?.stagingGeneration } == nil)
        #expect(try second.keys(.all(of: translations)) == ["1"])
        try await second.reclaim()
        #expect(try second.statistics().storedSize == size)
        #expect(try second.statistics().generations.counts == [1, 0, 0])
        #expect(try second.findings() == [])
        try second.close()
    }

    @Test func `are distinguished from those that another process began when it opened the store in between`()
        async throws
    {
        let directory = TemporaryStore()
        let store = try directory.open()
        let raw = try RawStore(directory.path)
        let before = try raw.records()
        _ = try await store.beginStaging(translations)
        let writer = try store.makeBlob()
        writer.append([UInt8](repeating: 7, count: 600_000).rawSpan)
        try await writer.flush()
        let after = try raw.records()
        try raw.replace(after, by: before)
        try raw.close()
        withExtendedLifetime(writer) {}
        try store.close()

        // The identity of an open is drawn behind the look at who else has the store open, and before its recovery.
        let isBegun = Mutex(false)
        var host = HostServices.test
        let draw = host.makeID
        host.makeID = {
            let isFirst = isBegun.withLock { isBegun in
                defer { isBegun = true }
                return !isBegun
            }
            if isFirst {
                do {
                    let raw = try RawStore(directory.path)
                    try raw.replace(before, by: after)
                    try raw.close()
                } catch {
                    Issue.record(error)
                }
            }
            return draw()
        }
        let opened = try Store.open(at: directory.path, host: host)
        #expect(isBegun.withLock { $0 })
        #expect(opened.environment.wasOpenedAlone)
        #expect(try opened.statistics().generations.counts == [0, 1, 0])
        #expect(
            try opened.read { view in try view.tables.garbage(.stagedBlob, in: view.transaction) }.count == 1)
        try opened.close()
    }

    @Test func `are distinguished from those that another open of this process is staging now`() async throws {
        let directory = TemporaryStore()
        let first = try directory.open()
        let staging = try await first.beginStaging(translations)
        let second = try directory.open()
        var batch = RowBatch(for: staging)
        try batch.append(bytes("row").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await first.stage(batch, in: staging)
        try await first.swap(staging) { _, _ in }
        #expect(try second.keys(.all(of: translations)) == ["1"])
        try first.close()
        try second.close()
    }

    @Test func `do not prevent a store with a damaged generation record from opening`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.replace(translations, with: [(key(1), bytes("shown"))])
        _ = try await store.beginStaging(tafsirs)
        let raw = try RawStore(directory.path)
        for var record in try raw.records() where record.table == .generations {
            record.value[5] ^= 1
            try raw.replace([record], by: [record])
        }
        try raw.close()
        try store.close()

        let opened = try directory.open()
        #expect(try opened.keys(.all(of: translations)) == ["1"])
        #expect(try opened.findings().contains { $0.table == "generations" && $0.kind == .checksum })
        // Syncing the resource again heals it.
        try await opened.replace(translations, with: [(key(2), bytes("healed"))])
        #expect(try opened.keys(.all(of: translations)) == ["2"])
        try opened.close()
    }
}
