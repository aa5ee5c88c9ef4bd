// Proves that content whose server and account cannot be read any more passes for that of no other one.
import LarderFormat
import LarderStore
import Testing

@Suite struct `Content whose owner is damaged` {
    private let directory = TemporaryStore()
    private let server = "https://api.example.org/v1"

    /// A store with a damaged record of the owner, and the content that `fill` stores.
    private func damaged(_ fill: (Store) async throws -> Void) async throws -> Store {
        let first = try directory.open()
        for content in ServerContent.allCases { try await first.bindServer(server, to: content) }
        try await first.write { try $0.bindContent(to: "ada") }
        try await fill(first)
        try first.close()
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.table == .meta && $0.key == ServersRecord.key })
        var damaged = record
        damaged.value[damaged.value.count - 1] ^= 1
        try raw.replace([record], by: [damaged])
        try raw.close()
        return try directory.open()
    }

    private static let kinds: [String: @Sendable (Store) async throws -> Void] = [
        "a row": { store in
            try await store.write { try $0.put(bytes("{}"), at: key(1), updatedAt: 1) }
        },
        "a token": { store in try await store.write { _ = try $0.updateFilter("translations:*") { $0.token = "A" } } },
        "an unsent write": { store in try await store.write { _ = try $0.enqueue(draft(1)) } },
        "a point": { store in
            try await store.write {
                _ = try $0.appendPoint(bytes("{}"), to: BufferName("track", account: "ada"), at: 1, limit: 10)
            }
        },
    ]

    private func isDamage(_ error: any Error) -> Bool {
        guard case .damaged("meta", _)? = error as? StoreError else { return false }
        return "\(error)".contains("Store.clear(discardingUnsent:)")
    }

    @Test(arguments: kinds.keys.sorted())
    func `is refused to every server and account, and can be removed`(kind: String) async throws {
        let store = try await damaged(try #require(Self.kinds[kind]))
        for content in ServerContent.allCases {
            for name in [server, "https://staging.example.org"] {
                await #expect { try await store.bindServer(name, to: content) } throws: { isDamage($0) }
                #expect { try store.read { try $0.checkServer(name, of: content) } } throws: { isDamage($0) }
            }
        }
        #expect { try store.read { try $0.hasContent(ofOtherAccountThan: "ada") } } throws: { isDamage($0) }
        #expect { try store.read { try $0.accountToFetchFor() } } throws: { isDamage($0) }
        // A sign-out ends the session all the same, and leaves the content without an owner that could be used.
        try await store.write { try $0.bindUnownedContent(to: "bob") }
        #expect { try store.read { try $0.contentAccount() } } throws: { isDamage($0) }
        #expect(try !store.findings().isEmpty)

        try await store.clear(discardingUnsent: true)
        #expect(try store.findings() == [])
        #expect(try store.read { try $0.contentAccount() } == nil)
        try await store.bindServer("https://staging.example.org", to: .sync)
        try await store.write { try $0.bindContent(to: "bob") }
        #expect(try store.read { try $0.contentAccount() } == "bob")
        try store.close()
    }

    @Test func `is of the account that is signed in, and of no server, after a salvage`() async throws {
        let store = try await damaged { store in
            try await store.write { transaction in
                try transaction.putSession(
                    StoredSession(state: .signedIn, account: "ada", changedAt: 1, signedInAt: 1))
                try transaction.enqueue(draft(1))
            }
        }
        try store.close()
        let saved = TemporaryStore()
        let report = try Store.salvage(at: directory.path, to: saved.path, host: .test)
        #expect(report.writeCount == 1 && report.findings == 0 && report.hasLostAccount, "\(report)")
        let salvaged = try saved.open()
        #expect(try salvaged.read { try $0.contentAccount() } == "ada")
        try await salvaged.bindServer(server, to: .outbox)
        #expect(try salvaged.read { try $0.server(of: .outbox) } == server)
        try salvaged.close()
    }

    @Test func `does not matter where nothing is left that it owned`() async throws {
        let store = try await damaged { _ in }
        #expect(try store.read { try $0.server(of: .sync) } == nil)
        #expect(try store.read { try $0.contentAccount() } == nil)
        try await store.bindServer("https://staging.example.org", to: .outbox)
        #expect(try store.read { try $0.server(of: .outbox) } == "https://staging.example.org")
        #expect(try store.findings() == [])
        try store.close()
    }
}
