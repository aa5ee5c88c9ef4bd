// Proves that a store that begins with a seed has its rows and tokens, its own identity, and nothing of a device.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A store that begins with a seed` {
    private let source = TemporaryStore()
    private let seed = TemporaryStore()
    private let target = TemporaryStore()

    private func openSeeded(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(at: target.path, seededFrom: seed.path, options: options, host: .test)
    }

    /// Publishes a store with something in every table.
    private func publishSample() async throws -> UUIDBytes {
        let store = try source.open()
        try await fillSample(store)
        try await store.write { transaction in try transaction.bindContent(to: "ada") }
        try store.publish(to: seed.path)
        defer { try? store.close() }
        return try store.read { view in try view.format().storeID }
    }

    @Test func `has its content, and nothing that belongs to a device or an account`() async throws {
        let sourceID = try await publishSample()
        let store = try openSeeded()
        #expect(try store.findings() == [])
        #expect(!store.isReadOnly)
        // The server's rows, without local writes over them.
        #expect(try store.keys(.all(of: translations)) == ["1", "2", "3", "intro"])
        #expect(try store.read { view in try view.payload(at: key(2)) } == bytes("{\"n\":2}"))
        #expect(try store.read { view in try view.payload(at: key(7, tafsirs)) } == bytes("note"))
        let filters = try store.read { view in try view.filters() }
        #expect(filters.map(\.token) == ["token"] && filters.map(\.members) == [[translations]])
        #expect(try store.read { view in try view.collections().count } == 2)
        #expect(try store.read { view in try view.indexes().map(\.definition) } == [sampleIndex])

        for table in [TableName.outbox, .overlay, .buffers, .journal, .responses, .blobs] {
            #expect(try store.read { view in try view.recordCount(of: table) } == 0, "\(table)")
        }
        #expect(try store.read { view in try view.session() } == nil)
        #expect(try store.read { view in try view.contentAccount() } == nil)
        #expect(try store.statistics().outboxEntries == 0)
        #expect(try store.read { view in try view.format().storeID } != sourceID)
        try store.close()
    }

    @Test func `is written and opened again like any other`() async throws {
        _ = try await publishSample()
        var store = try openSeeded()
        let id = try store.read { view in try view.format().storeID }
        try await store.write { transaction in
            try transaction.enqueue(draft(1))
            try transaction.applyOverlay(.removal, at: key(1), updatedAt: 6, entryID: draft(1).id)
            try transaction.put(bytes("100"), at: key(100), updatedAt: 1)
        }
        try await store.put(response("https://a.test/", language: nil), body: [7])
        #expect(try store.findings() == [])
        try store.close()

        // The seed is not needed any more, and its content does not come back.
        try FileManager.default.removeItem(atPath: seed.path)
        store = try openSeeded()
        #expect(try store.read { view in try view.format().storeID } == id)
        #expect(try store.keys(.all(of: translations)).contains("100"))
        try store.close()
    }

    @Test func `is not one that existed already`() async throws {
        _ = try await publishSample()
        let existing = try target.open()
        try await existing.put([key(100)])
        let store = try openSeeded()
        #expect(try store.keys(.all(of: translations)) == ["100"])
        try store.close()
        try existing.close()
    }

    @Test func `is not one whose salvage was killed`() async throws {
        _ = try await publishSample()
        let existing = try target.open()
        try await existing.put([key(100)])
        try existing.close()
        // A salvage gives the file a second name before it replaces it.
        try FileManager.default.linkItem(atPath: target.path + "/data.mdb", toPath: target.path + "/damaged.mdb")
        let store = try openSeeded()
        #expect(try store.keys(.all(of: translations)) == ["100"])
        try store.close()
    }

    @Test func `differs from every other one of the same seed`() async throws {
        _ = try await publishSample()
        let other = TemporaryStore()
        var ids: Set<UUIDBytes> = []
        for path in [target.path, other.path] {
            let store = try Store.open(at: path, seededFrom: seed.path, host: .test)
            ids.insert(try store.read { view in try view.format().storeID })
            try store.close()
        }
        #expect(ids.count == 2)
    }

    @Test func `is one store for several openers at once`() async throws {
        _ = try await publishSample()
        let ids = try await withThrowingTaskGroup(of: (Store, UUIDBytes).self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let store = try openSeeded()
                    return (store, try store.read { view in try view.format().storeID })
                }
            }
            var ids: Set<UUIDBytes> = []
            // All are open before the first is closed.
            var stores: [Store] = []
            for try await (store, id) in group {
                ids.insert(id)
                stores.append(store)
            }
            for store in stores { try store.close() }
            return ids
        }
        #expect(ids.count == 1)
    }

    @Test func `begins with the last whole content of a store that was being filled`() async throws {
        let store = try source.open()
        try await store.replace(translations, with: [(key(1), bytes("old"))])
        let staging = try await store.beginStaging(translations)
        var batch = RowBatch(for: staging)
        try batch.append(bytes("new").rawSpan, type: "translation", key: "1", updatedAt: 1)
        try await store.stage(batch, in: staging)
        try store.publish(to: seed.path)
        try store.close()
        let seeded = try openSeeded()
        #expect(try seeded.read { view in try view.payload(at: key(1)) } == bytes("old"))
        try await seeded.reclaim()
        #expect(try seeded.findings() == [])
        try seeded.close()
    }

    @Test func `does not exist where its seed is none`() async throws {
        #expect(throws: EngineError.notFound) { try openSeeded() }
        try source.open().close()
        #expect(throws: StoreError.notPublished) {
            try Store.open(at: target.path, seededFrom: source.path, host: .test)
        }
        _ = try await publishSample()
        let readOnly = StoreOptions(access: .readOnly)
        #expect(throws: EngineError.notFound) { try openSeeded(readOnly) }
        #expect(!FileManager.default.fileExists(atPath: target.path + "/data.mdb"))
    }
}
