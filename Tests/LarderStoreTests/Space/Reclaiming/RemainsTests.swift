// Proves that what a killed process was writing is discarded while another one has the store open, and that what a
// living one is writing is not.

import Foundation
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite(.timeLimit(.minutes(10))) struct `Content that a killed process was writing` {
    private let directory = TemporaryStore()
    private let files = FileManager.default

    /// Leaves a snapshot, a body and a lease, as a killed process does.
    ///
    /// - Returns: the name of the file of the lease.
    private func leaveRemains() async throws -> String {
        let store = try directory.open()
        let name = store.shared.lease.name
        do {
            let staging = try await store.beginStaging(translations)
            var batch = RowBatch(for: staging)
            for number in 0..<500 {
                try batch.append(bytes("staged").rawSpan, type: "translation", key: String(number), updatedAt: 1)
            }
            try await store.stage(batch, in: staging)
            let writer = try store.makeBlob()
            writer.append([UInt8](repeating: 7, count: 3_000_000).rawSpan)
            try await writer.flush()
            try store.close()
            withExtendedLifetime((staging, writer)) {}
        }
        try leaveFile(name)
        return name
    }

    private func leaveFile(_ name: String) throws {
        #expect(!names.contains(name))
        try Data("LARDOWN1........".utf8).write(to: URL(fileURLWithPath: directory.path + "/" + name))
    }

    /// The names of the files of leases.
    private var names: [String] {
        ((try? files.contentsOfDirectory(atPath: directory.path)) ?? []).filter { $0.hasPrefix("opener-") }
    }

    /// How many generations and bodies are being written.
    private func counts(_ store: Store) throws -> [Int] {
        try store.read { view in
            try [GarbageKey.Kind.stagedGeneration, .stagedBlob].map { kind in
                try view.tables.garbage(kind, in: view.transaction).count
            }
        }
    }

    /// Returns when the work is done that an open or a commit has left.
    private func finishRound(_ store: Store) async throws {
        try await store.eventually { !store.shared.reclaimer.isWanted }
    }

    @Test func `is discarded by an open beside another process`() async throws {
        try directory.open().close()
        let holder = try OtherHolder(directory.path)
        // A reader of bodies, too.
        let bodies = UseLock("bodies.lock", in: directory.path)
        bodies.begin()
        _ = try await leaveRemains()
        let store = try directory.open()
        #expect(!store.environment.wasOpenedAlone)
        try await finishRound(store)
        #expect(try counts(store) == [0, 0])
        #expect(try store.read { view in try view.resource(translations)?.stagingGeneration } == nil)
        #expect(try store.statistics().storedSize < 1000)
        #expect(try store.findings() == [])
        #expect(names == [])
        bodies.end()
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `makes the file no larger, however often it happens`() async throws {
        try directory.open().close()
        let holder = try OtherHolder(directory.path)
        var sizes: [Int] = []
        for _ in 0..<20 {
            _ = try await leaveRemains()
            let store = try directory.open()
            try await finishRound(store)
            try store.close()
            sizes.append(directory.fileSize)
        }
        #expect(sizes[19] < 2 * sizes[0], "\(sizes)")
        withExtendedLifetime(holder) {}
    }

    @Test func `stays while the process may live, and is discarded in the next round after its death`() async throws {
        let name = try await leaveRemains()
        let holder = try OtherHolder(directory.path)
        var living = try OwnerLock.acquire(name, in: directory.path)
        #expect(living != nil)
        let bodies = UseLock("bodies.lock", in: directory.path)
        bodies.begin()
        let store = try directory.open()
        try await finishRound(store)
        #expect(try counts(store) == [1, 1])
        for round in 1...2 { try await store.replace(tafsirs, with: [(key(round, tafsirs), bytes("row"))]) }
        try await finishRound(store)
        #expect(try counts(store) == [1, 1])
        #expect(names == [name])
        living = nil
        bodies.end()
        // What a replacement discards begins a round.
        try await store.replace(tafsirs, with: [(key(3, tafsirs), bytes("row"))])
        try await finishRound(store)
        #expect(try counts(store) == [0, 0])
        #expect(names == [])
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `stays where its process had no lease, as one of an older version`() async throws {
        let name = try await leaveRemains()
        let holder = try OtherHolder(directory.path)
        try files.removeItem(atPath: directory.path + "/" + name)
        // And a process that has left a lease only.
        try leaveFile("opener-c0ffee00-1234-4abc-8def-0123456789ab.lock")
        let bodies = UseLock("bodies.lock", in: directory.path)
        bodies.begin()
        let store = try directory.open()
        try await finishRound(store)
        #expect(try counts(store) == [1, 1])
        #expect(names == [])
        bodies.end()
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `is left by an open for reading`() async throws {
        let name = try await leaveRemains()
        let before = try files.contentsOfDirectory(atPath: directory.path).sorted()
        let store = try directory.open(StoreOptions(access: .readOnly))
        #expect(try counts(store) == [1, 1])
        await #expect(throws: EngineError.readOnly) { _ = try await store.beginStaging(translations) }
        try store.close()
        #expect(try files.contentsOfDirectory(atPath: directory.path).sorted() == before)
        #expect(names == [name])
    }

    @Test func `is discarded although a file with the name of a lease is a link`() async throws {
        _ = try await leaveRemains()
        let holder = try OtherHolder(directory.path)
        let link = "opener-00000000-1234-4abc-8def-0123456789ab.lock"
        let target = directory.path + "-target"
        defer { try? files.removeItem(atPath: target) }
        #expect(files.createFile(atPath: target, contents: Data("mine".utf8)))
        try files.createSymbolicLink(atPath: directory.path + "/" + link, withDestinationPath: target)
        let store = try directory.open()
        try await finishRound(store)
        #expect(try counts(store) == [0, 0])
        #expect(names == [link])
        #expect(files.contents(atPath: target) == Data("mine".utf8))
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `has a lease from its begin to its end`() async throws {
        let store = try directory.open()
        let name = store.shared.lease.name
        func isHeld() throws -> Bool { try heldLocks(in: directory.path).contains(name) }
        let first = try await store.beginStaging(translations)
        #expect(try isHeld())
        try await store.swap(first) { _, _ in }
        #expect(names == [])
        withExtendedLifetime(first) {}
        let second = try await store.beginStaging(translations)
        #expect(try isHeld())
        await store.discard(second)
        #expect(names == [])
        withExtendedLifetime(second) {}
        do {
            let writer = try store.makeBlob()
            writer.append([UInt8](repeating: 7, count: 3_000_000).rawSpan)
            #expect(names == [])
            try await writer.flush()
            #expect(try isHeld())
            try await store.write { transaction in _ = try writer.finish(in: &transaction) }
        }
        // The closure of the write is released after its result.
        try await store.eventually { names == [] }
        try store.close()
    }

    @Test func `is not begun without a lease`() async throws {
        let store = try directory.open()
        let file = directory.path + "/" + store.shared.lease.name
        try files.createSymbolicLink(atPath: file, withDestinationPath: "/dev/null")
        await #expect(throws: EngineError.self) { _ = try await store.beginStaging(translations) }
        let writer = try store.makeBlob()
        writer.append([UInt8](repeating: 7, count: 3_000_000).rawSpan)
        await #expect(throws: EngineError.self) { try await writer.flush() }
        writer.cancel()
        #expect(try counts(store) == [0, 0])
        try files.removeItem(atPath: file)
        let staging = try await store.beginStaging(translations)
        #expect(try counts(store) == [1, 0])
        await store.discard(staging)
        try store.close()
    }
}
