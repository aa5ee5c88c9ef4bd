// Proves that the stored session survives a close, holds secrets of bounded size, and knows unsent accounts.

import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `The stored session` {
    private let directory = TemporaryStore()

    @Test func `has no account before a sign-in`() throws {
        let store = try directory.open()
        #expect(try store.read { view in try view.session() } == nil)
        try store.close()
    }

    @Test func `comes back whole after a close, state and values from one commit`() async throws {
        let first = try directory.open()
        var session = StoredSession(state: .signedIn, account: "ada", changedAt: 5, signedInAt: 4)
        session.setValue(bytes("de"), named: "locale")
        session.setValue(bytes("17"), named: "workspace")
        session.addSecretName("token")
        try await first.write { [session] in try $0.putSession(session) }
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await first.write { [session] transaction in
                var changed = session
                changed.state = .expired
                changed.setValue(nil, named: "locale")
                try transaction.putSession(changed)
                throw Refused()
            }
        }
        try first.close()
        let store = try directory.open()
        #expect(try store.read { view in try view.session() } == session)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `distinguishes names byte for byte, and reserves a secret's name for the secret`() {
        var session = StoredSession(state: .signedIn, account: "ada", changedAt: 5, signedInAt: 4)
        session.setValue(bytes("one"), named: "\u{E9}")
        session.setValue(bytes("two"), named: "e\u{301}")
        #expect(session.value(named: "\u{E9}") == bytes("one"))
        #expect(session.value(named: "e\u{301}") == bytes("two"))
        session.addSecretName("\u{E9}")
        #expect(session.value(named: "\u{E9}") == nil)
        #expect(session.hasSecret(named: "\u{E9}") && !session.hasSecret(named: "e\u{301}"))
        session.setValue(bytes("three"), named: "\u{E9}")
        #expect(!session.hasSecret(named: "\u{E9}"))
    }

    @Test func `holds 64 KiB and not a byte more`() async throws {
        let store = try directory.open()
        var session = StoredSession(state: .signedIn, account: "ada", changedAt: 5, signedInAt: 4)
        session.setValue([UInt8](repeating: 1, count: 65_400), named: "large")
        try await store.write { [session] in try $0.putSession(session) }
        session.setValue([UInt8](repeating: 1, count: 65_536), named: "large")
        await #expect(throws: StoreError.self) { try await store.write { [session] in try $0.putSession(session) } }
        #expect(try store.read { view in try view.session() }?.value(named: "large")?.count == 65_400)
        try store.close()
    }

    @Test func `knows what each account has left to send`() async throws {
        let store = try directory.open()
        try await store.write { transaction in
            for number in 1...4 {
                var made = draft(number, lane: number % 2 == 0 ? "even" : "odd")
                made.account = number == 4 ? "bob" : "ada"
                try transaction.enqueue(made)
            }
            try transaction.rejectEntry(draft(1).id, OutboxDelivery(), detail: nil, at: 5)
            var failed = OutboxDelivery()
            failed.state = .failed
            _ = try transaction.updateDelivery(of: draft(2).id, from: OutboxDelivery(), to: failed)
            try transaction.appendPoint([], to: BufferName("locations", account: "ada"), at: 1)
            try transaction.appendPoint([], to: BufferName("locations"), at: 1)
        }
        let ada = try store.read { view in try view.unsent(of: "ada") }
        #expect([ada.pending, ada.failed, ada.rejected, ada.points] == [1, 1, 1, 1])
        let nobody = try store.read { view in try view.unsent(of: nil) }
        #expect([nobody.pending, nobody.failed, nobody.rejected, nobody.points] == [0, 0, 0, 1])
        let gone = try await store.write { try $0.discardUnsent(of: "ada", detail: "signed out", at: 9) }
        #expect(Set(gone) == [draft(1).id, draft(2).id, draft(3).id])
        #expect(try store.read { view in try view.unsent(of: "ada") } == UnsentContent())
        #expect(try store.read { view in try view.unsent(of: "bob").pending } == 1)
        let outcomes = try store.read { view in try view.outboxOutcomes() }
        #expect(outcomes.suffix(3).map(\.outcome) == ["dropped", "dropped", "dropped"])
        #expect(try store.findings() == [])
        try store.close()
    }
}
