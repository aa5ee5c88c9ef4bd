// Proves that left-over garbage is removed, even while another process has the store open or a commit fails.

import Foundation
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

/// Holds the store's guard file, as another process does that has the store open.
final class OtherHolder {
    private let file: FileDescriptor

    init(_ path: String) throws {
        file = try FileDescriptor(path + "/" + GuardFile.name, O_RDWR)
        _ = try file.lock(exclusive: false, waits: true)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Garbage that was left` {
    private let directory = TemporaryStore()

    private func hasGarbage(_ store: Store) throws -> Bool {
        try store.read { view in try view.hasGarbage() }
    }

    @Test func `is removed after an open beside another process`() async throws {
        try directory.open().close()
        let holder = try OtherHolder(directory.path)
        for round in 0..<6 {
            let store = try directory.open()
            #expect(!store.environment.wasOpenedAlone)
            try await store.put(
                response("k", etag: "\(round)"), body: [UInt8](repeating: UInt8(round), count: 3_000_000))
            try await fill(store, 1, rows: 100)
            // The store is closed before the reclaimer is through.
            try store.close()
        }
        let store = try directory.open()
        try await store.eventually { try !hasGarbage(store) }
        #expect(try size(store) < 4_200_000)
        #expect(try store.findings() == [])
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `is removed when it was made behind the reclaimer's place`() async throws {
        let store = try directory.open()
        // The generation of the first resource has the lower number, so its garbage lies in front.
        try await fill(store, 1, rows: 100)
        try await fill(store, 2, rows: 400)
        let full = try size(store)
        try await store.write { transaction in try transaction.withdraw(big(2), at: ServerPosition(0, 9), as: .hidden) }
        var isDone = false
        while !isDone {
            // Short writes come between the steps of the reclaimer.
            isDone = try await store.write { transaction in
                guard try transaction.storedSize() < full * 9 / 10 else { return false }
                try transaction.withdraw(big(1), at: ServerPosition(0, 9), as: .hidden)
                return true
            }
        }
        try await store.eventually { try !hasGarbage(store) }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `does not include what another process may be writing`() async throws {
        let first = try directory.open()
        _ = try await first.beginStaging(translations)
        try first.close()
        let holder = try OtherHolder(directory.path)
        let beside = try directory.open()
        #expect(try beside.statistics().generations.counts == [0, 1, 0])
        #expect(try beside.read { view in try view.resource(translations)?.stagingGeneration } != nil)
        try beside.close()
        withExtendedLifetime(holder) {}
    }

    private func blobCount(_ store: Store) throws -> Int {
        try store.read { view in
            try liveBlobs(view).count
                + [GarbageKey.Kind.stagedBlob, .blob].reduce(0) { count, kind in
                    try count + view.tables.garbage(kind, in: view.transaction).count
                }
        }
    }

    /// The numbers of the blobs that a record names.
    private func liveBlobs(_ view: borrowing ReadView) throws -> [Int64] {
        var found: [Int64] = []
        try view.tables.forEachReadable(.blobs, in: view.transaction) { key, _ throws(FormatError) in
            try BlobKey(decoding: key)
        } _: { (key: BlobKey) in
            if case .head(let number) = key { found.append(number) }
        }
        return found
    }

    /// Leaves a body that was being written, as a killed process does.
    private func leaveStagedBody() async throws {
        let store = try directory.open()
        let writer = try store.makeBlob()
        writer.append([UInt8](repeating: 7, count: 3_000_000).rawSpan)
        try await writer.flush()
        try store.close()
        withExtendedLifetime(writer) {}
    }

    @Test func `includes bodies that killed processes were writing, whoever has the store open`() async throws {
        try directory.open().close()
        let holder = try OtherHolder(directory.path)
        for _ in 0..<4 { try await leaveStagedBody() }
        let store = try directory.open()
        #expect(!store.environment.wasOpenedAlone)
        try await store.eventually { try blobCount(store) == 0 }
        #expect(try size(store) < 100_000)
        #expect(try store.findings() == [])
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `does not include bodies while another process reads or writes some`() async throws {
        try await leaveStagedBody()
        let holder = try OtherHolder(directory.path)
        // As the other process takes it.
        let lock = UseLock("bodies.lock", in: directory.path)
        lock.begin()
        var store = try directory.open()
        try await store.put(response("k"), body: [UInt8](repeating: 1, count: 300_000))
        let old = try #require(try store.read { view in try liveBlobs(view) }.first)
        do {
            let handle = try store.blob(old)
            try await store.put(response("k", etag: "2"), body: [UInt8](repeating: 2, count: 300_000))
            try store.close()
            withExtendedLifetime(handle) {}
        }
        // The other process may go on writing the one that it has begun.
        #expect(try countsAfterOpen() == [3, 1])
        lock.end()
        store = try directory.open()
        try await store.eventually { try blobCount(store) == 1 }
        #expect(try store.findings() == [])
        try store.close()
        withExtendedLifetime(holder) {}
    }

    /// How many blobs there are when an open has done what it does, and how many of them are being written.
    private func countsAfterOpen() throws -> [Int] {
        let store = try directory.open()
        for _ in 0..<4 { try store.writeBlocking { _ in } }
        defer { try? store.close() }
        let staged = try store.read { view in try view.tables.garbage(.stagedBlob, in: view.transaction).count }
        return [try blobCount(store), staged]
    }

    @Test func `is protected by a lock while bodies are read or written`() async throws {
        let store = try directory.open()
        let leases = store.shared.leases
        #expect(try leases.isFree())
        do {
            let writer = try store.makeBlob()
            writer.append([UInt8](repeating: 7, count: 3_000_000).rawSpan)
            #expect(try leases.isFree())
            try await writer.flush()
            #expect(try !leases.isFree())
            try await store.write { transaction in _ = try writer.finish(in: &transaction) }
        }
        // The closure of the write is released after its result.
        try await store.eventually { try leases.isFree() }
        let number = try #require(try store.read { view in try liveBlobs(view) }.first)
        for _ in 0..<2 {
            let handle = try #require(try store.blob(number))
            let second = try store.blob(number)
            #expect(try !leases.isFree())
            withExtendedLifetime((handle, second)) {}
        }
        #expect(try leases.isFree())
        try store.close()
    }

    @Test func `is kept when a commit fails, and removed after the next that succeeds`() async throws {
        let store = try directory.open()
        for id in 1...3 as ClosedRange<Int64> { try await fill(store, id) }
        let entry = try await store.put(response("k"), body: [UInt8](repeating: 1, count: 300_000))
        try await store.reclaim()
        let (data, aside) = (directory.path + "/data.mdb", directory.path + "/aside")
        try store.writeBlocking { transaction in
            try transaction.evict(big(1))
            try transaction.evict(big(2))
            try transaction.removeResponse(at: entry.place)
            // This commit is the last that succeeds.
            try FileManager.default.moveItem(atPath: data, toPath: aside)
        }
        await #expect(throws: EngineError.replaced) { try await store.writeBulk { _ in } }
        try FileManager.default.moveItem(atPath: aside, toPath: data)
        #expect(store.shared.reclaimer.isWanted)
        #expect(try store.statistics().generations.counts == [1, 0, 2])
        let blobs = try store.read { view in try view.tables.garbage(.blob, in: view.transaction) }
        #expect(blobs == [entry.record.blob])
        try await store.put([key(1)])
        try await store.eventually { try !hasGarbage(store) && !store.shared.reclaimer.isWanted }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is a snapshot that could not be discarded, and removed after the next commit`() async throws {
        let store = try directory.open()
        let staging = try await store.beginStaging(big(1))
        let (data, aside) = (directory.path + "/data.mdb", directory.path + "/aside")
        try FileManager.default.moveItem(atPath: data, toPath: aside)
        await store.discard(staging)
        try FileManager.default.moveItem(atPath: aside, toPath: data)
        #expect(try store.read { view in try view.resource(big(1))?.stagingGeneration } == staging.generation)
        try await store.put([key(1)])
        try await store.eventually { try !hasGarbage(store) && !store.shared.reclaimer.isWanted }
        #expect(try store.read { view in try view.resource(big(1))?.stagingGeneration } == nil)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is reported once while it cannot be removed for one reason`() async throws {
        let messages = LogMessages()
        var host = HostServices.test
        host.logger = messages.logger
        let store = try Store.open(at: directory.path, host: host)
        try await store.put([key(1)])
        let (data, aside) = (directory.path + "/data.mdb", directory.path + "/aside")
        for round in 1...2 {
            try FileManager.default.moveItem(atPath: data, toPath: aside)
            for _ in 0..<5 {
                store.shared.reclaimer.start(in: store.shared)
                // Behind what the reclaimer does.
                await #expect(throws: EngineError.replaced) { try await store.writeBulk { _ in } }
            }
            #expect(messages.all.count { $0 == "could not reclaim garbage" } == round)
            try FileManager.default.moveItem(atPath: aside, toPath: data)
            store.shared.reclaimer.start(in: store.shared)
            try await store.eventually { !store.shared.reclaimer.isWanted }
        }
        try store.close()
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Accepted writes that were left, beside another process` {
    /// Closes the fixture's store as if its process had ended before what `resource` says was acted on.
    private func leaveUnreleased(_ fixture: ReleaseFixture, appliedSequence: Int64) throws {
        try fixture.store.close()
        let raw = try RawStore(fixture.temporary.path)
        let record = try #require(try raw.records().first { $0.table == .resources })
        var resource = try ResourceRecord(decoding: record.body.rawSpan)
        resource.appliedSequence = appliedSequence
        try raw.replace([record], by: [record.resealed(resource.encode())])
        try raw.close()
    }

    @Test func `are released when the server's rows show them`() async throws {
        let fixture = try await ReleaseFixture()
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1, at: 12)
        try leaveUnreleased(fixture, appliedSequence: 12)
        let holder = try OtherHolder(fixture.temporary.path)
        let store = try fixture.temporary.open()
        try await store.eventually { try store.read { view in try view.overlays(of: translations) }.isEmpty }
        try store.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `are kept over a list while the other process may walk it, and are materialized when that is gone`()
        async throws
    {
        let fixture = try await ReleaseFixture(isHeld: false)
        _ = try fixture.store.beginPass(over: translations)
        try await fixture.enqueue(1, [localEffect(1)])
        try await fixture.accept(1)
        try fixture.store.close()
        do {
            let holder = try OtherHolder(fixture.temporary.path)
            let store = try fixture.temporary.open()
            // Behind what the open has had looked at.
            for _ in 0..<4 { try await store.writeBulk { _ in } }
            #expect(try store.read { view in try view.overlays(of: translations) }.count == 1)
            try store.close()
            withExtendedLifetime(holder) {}
        }
        let store = try fixture.temporary.open()
        try await store.eventually { try store.read { view in try view.overlays(of: translations) }.isEmpty }
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("mine"))
        try store.close()
    }
}
