// Proves that a store records which server its content is from, until the content is removed, and refuses any other.
import LarderFormat
import LarderStore
import Testing

@Suite struct `The server of stored content` {
    private let directory = TemporaryStore()
    private let staging = "https://staging.example.org/v1"
    private let production = "https://api.example.org/v1"

    private func fill(_ store: Store, _ content: ServerContent) async throws {
        try await store.write { transaction in
            switch content {
            case .sync: try transaction.updateFilter("translations:*") { $0.token = "A" }
            case .outbox: try transaction.enqueue(draft(1))
            case .objects:
                let row = RowKey(resource: ResourceKey("class:User", 0), type: "User", key: "1")
                try transaction.put(bytes("{}"), at: row, updatedAt: 1)
            }
        }
    }

    private func bind(_ store: Store, _ server: String, _ content: ServerContent) async -> ServerMismatch? {
        do {
            try await store.bindServer(server, to: content)
        } catch let mismatch as ServerMismatch {
            return mismatch
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test(arguments: ServerContent.allCases)
    func `survives a restart, and cannot change while its content is stored`(content: ServerContent) async throws {
        let first = try directory.open()
        #expect(await bind(first, staging, content) == nil)
        try await fill(first, content)
        try first.close()
        let store = try directory.open()
        let mismatch = try #require(await bind(store, production, content))
        #expect(mismatch.content == content && mismatch.stored == staging && mismatch.configured == production)
        #expect("\(mismatch)".contains(staging) && "\(mismatch)".contains(production))
        #expect(throws: mismatch) { try store.read { view in try view.checkServer(production, of: content) } }
        #expect(try store.read { view in try view.server(of: content) } == staging)
        for other in ServerContent.allCases where other != content {
            #expect(await bind(store, production, other) == nil)
        }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: ServerContent.allCases)
    func `may change where nothing ever came from the first`(content: ServerContent) async throws {
        let store = try directory.open()
        #expect(await bind(store, staging, content) == nil)
        let others = ServerContent.allCases.filter { $0 != content }
        for other in others { try await fill(store, other) }
        // A filter that was asked for, and got no answer.
        if content == .sync { try await store.write { try $0.updateFilter("tafsirs:*") { $0.isBootstrapping = true } } }
        #expect(await bind(store, production, content) == nil)
        #expect(try store.read { view in try view.server(of: content) } == production)
        try store.close()
    }

    @Test(arguments: [true, false])
    func `is recorded for resources that no filter holds any more`(isHidden: Bool) async throws {
        let store = try directory.open()
        #expect(await bind(store, staging, .sync) == nil)
        try await store.write {
            try $0.update(ResourceKey("translations", 1)) { record in
                if isHidden { record.state = .hidden } else { record.snapshotPath = "/api/v4/translations/1" }
            }
        }
        #expect(await bind(store, production, .sync) != nil)
        try store.close()
    }

    @Test func `may change where only a local write or the program left a position, which then blocks nothing`()
        async throws
    {
        let store = try directory.open()
        #expect(await bind(store, staging, .sync) == nil)
        let written = try await acceptWrite(store)
        let seeded = ResourceKey("translations", 1)
        try await store.replace(seeded, appliedSequence: 40) { _ in }
        #expect(try store.read { view in try view.resource(written)?.appliedSequence } == 900)
        #expect(await bind(store, production, .sync) == nil)
        try store.read { view in
            let next = try view.appliedPosition().timeline
            for key in [written, seeded] { #expect(try #require(try view.resource(key)).timeline < next) }
        }
        #expect(try store.findings() == [])
        try store.close()
    }

    /// Has the server accept a write as its change 900.
    private func acceptWrite(_ store: Store) async throws -> ResourceKey {
        let written = ResourceKey("notes", 1)
        try await store.write { transaction in
            let row = RowKey(resource: written, type: "note", key: "1")
            let entry = try transaction.enqueue(
                draft(1), effects: [RowEffect(.replacement(bytes("{}"), codec: .json), at: row)])
            try transaction.completeEntry(entry.id, sequence: 900, at: 2)
        }
        return written
    }

    /// Whether the position of a resource is one of the present timeline.
    private func isPresent(_ key: ResourceKey, _ store: Store) throws -> Bool {
        try store.read { view in
            try #require(try view.resource(key)).timeline == view.appliedPosition().timeline
        }
    }

    @Test(arguments: [[ServerContent.outbox, .sync], [.sync, .outbox], [.sync]])
    func `may change where accepted writes left positions, which then block nothing`(
        order: [ServerContent]
    ) async throws {
        let store = try directory.open()
        #expect(await bind(store, staging, .outbox) == nil)
        let written = try await acceptWrite(store)
        #expect(try isPresent(written, store))
        for content in order { #expect(await bind(store, production, content) == nil) }
        #expect(try !isPresent(written, store))
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test(arguments: [true, false])
    func `may be the server that accepted writes left positions of, which stay valid`(isMistyped: Bool) async throws {
        let store = try directory.open()
        if isMistyped { #expect(await bind(store, staging, .sync) == nil) }
        #expect(await bind(store, production, .outbox) == nil)
        let written = try await acceptWrite(store)
        #expect(await bind(store, production, .sync) == nil)
        #expect(try isPresent(written, store))
        try store.close()
    }

    @Test func `changes once by adoption`() async throws {
        let store = try directory.open()
        #expect(await bind(store, staging, .outbox) == nil)
        try await fill(store, .outbox)
        let mismatch = try #require(await bind(store, production, .outbox))
        try await store.adopt(mismatch)
        #expect(await bind(store, production, .outbox) == nil)
        let next = try #require(await bind(store, "https://next.example.org", .outbox))
        try await store.adopt(next)
        // It is of neither of the two any more.
        try await store.adopt(mismatch)
        #expect(await bind(store, "https://next.example.org", .outbox) == nil)
        #expect(try store.read { view in try view.outboxEntries().count } == 1)
        try store.close()
    }

    @Test func `is removed with all content, and not before`() async throws {
        let store = try directory.open()
        for content in ServerContent.allCases {
            #expect(await bind(store, staging, content) == nil)
            try await fill(store, content)
        }
        await #expect(throws: StoreError.unsentWrites(1)) { try await store.clear() }
        #expect(await bind(store, production, .outbox) != nil)
        try await store.clear(discardingUnsent: true)
        for content in ServerContent.allCases {
            #expect(try store.read { view in try view.server(of: content) } == nil)
        }
        #expect(try store.findings() == [])
        try store.close()
    }
}
