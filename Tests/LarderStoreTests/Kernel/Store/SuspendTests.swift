// Proves by the kernel's lock table that a suspended store holds no lock, until it is used again.

import Foundation
import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `A suspended store` {
    private let directory = TemporaryStore()
    private let held: Set<String> = ["guard.lock", "lock.mdb"]

    private func locks() throws -> Set<String> { try heldLocks(in: directory.path) }

    @Test func `holds no lock until the next read or write`() async throws {
        let store = try directory.open()
        try await fillSample(store)
        #expect(try locks().isSuperset(of: held))
        try store.suspend()
        #expect(try locks() == [])
        #expect(try store.keys(.all(of: translations)).count == 4)
        #expect(try locks().isSuperset(of: held))
        try store.suspend(within: 1000)
        #expect(try locks() == [])
        try await store.put([key(100)])
        #expect(try locks().isSuperset(of: held))
        #expect(try store.findings() == [])
        try store.suspend()
        try store.close()
        #expect(try locks() == [])
        #expect(throws: EngineError.closed) { try store.suspend() }
    }

    @Test func `leaves the removal of garbage to its next use`() async throws {
        let store = try directory.open()
        for round in 0..<3 {
            try await store.replace(translations, with: (0..<2000).map { (key($0), bytes("\(round)")) })
        }
        // The removal goes on behind the last commit.
        try store.suspend()
        #expect(try locks() == [])
        #expect(try store.keys(.all(of: translations)).count == 2000)
        try await store.reclaim()
        #expect(try store.statistics().generations.garbage == 0)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `is refused while work holds a lock of its own`() async throws {
        let store = try directory.open()
        #expect(try store.beginSyncing())
        #expect(throws: StoreError.workUnderWay(lock: "sync.lock")) { try store.suspend() }
        store.endSyncing()
        do {
            let ownership = try #require(try store.acquireOutboxOwnership())
            #expect(throws: StoreError.workUnderWay(lock: "outbox.lock")) { try store.suspend() }
            withExtendedLifetime(ownership) {}
        }
        do {
            let writer = try store.makeBlob()
            writer.append([UInt8](repeating: 7, count: 1_000_000).rawSpan)
            try await writer.flush()
            #expect(throws: StoreError.workUnderWay(lock: "bodies.lock")) { try store.suspend() }
            withExtendedLifetime(writer) {}
        }
        let staging = try await store.beginStaging(translations)
        let lock = store.shared.lease.name
        #expect(try locks().contains(lock))
        #expect(throws: StoreError.workUnderWay(lock: lock)) { try store.suspend() }
        await store.discard(staging)
        try store.suspend()
        #expect(try locks() == [])
        try store.close()
    }

    @Test func `is observed again when it is used again`() async throws {
        let store = try directory.open()
        try await store.put([key(1)])
        var counts = store.values(in: .resource(translations)) { view in
            try view.rows(in: .all(of: translations)).count
        }.makeAsyncIterator()
        #expect(try await counts.next() == 1)
        try store.suspend()
        #expect(try locks() == [])
        try await store.put([key(2)])
        #expect(try await counts.next() == 2)
        try store.close()
    }

    @Test func `opened for reading only holds no lock either`() async throws {
        var store = try directory.open()
        try await store.put([key(1)])
        try store.close()
        store = try directory.open(StoreOptions(access: .readOnly))
        #expect(try locks().isSuperset(of: held))
        try store.suspend()
        #expect(try locks() == [])
        #expect(try store.keys(.all(of: translations)) == ["1"])
        try store.close()
    }
}
