// SessionFixture: a store in its own directory, with a virtual clock and a session.

import Foundation
import LarderFormat
import LarderStore
import LarderTesting
import Synchronization

@testable import LarderOutbox

/// A store in a directory of its own, with a virtual clock, and a session on it.
final class SessionFixture: Sendable {
    let path: String
    let clock = VirtualClock()
    let secrets = MemorySecretStore()

    init() {
        path = FileManager.default.temporaryDirectory.path + "/larder-session-\(UUID().uuidString)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func open() throws -> Store { try Store.open(at: path, host: .virtual(clock)) }

    /// A session, by default with a place for secrets.
    func session(
        _ store: Store, keepsSecrets: Bool = true, authenticator: (any Authenticator)? = nil
    ) throws -> Session {
        try Session(store: store, secrets: keepsSecrets ? secrets : nil, authenticator: authenticator)
    }

    /// Appends a write made under an account.
    @discardableResult
    func enqueue(_ number: UInt64, _ account: String?, in store: Store) async throws -> UUIDBytes {
        let id = UUIDBytes(high: 7, low: number)
        try await store.write { transaction in
            var draft = OutboxDraft(
                id: id, lane: "lane", createdAt: 1, mutationType: "note", method: "POST", endpoint: "/notes",
                payload: [])
            draft.account = account
            try transaction.enqueue(draft)
        }
        return id
    }
}

/// Authenticates, refuses, or waits until it is released.
final class ScriptedAuthenticator: Authenticator {
    struct Refused: Error {}

    private struct Content {
        var requestedAccounts: [String] = []
        var secretsSeen: [[UInt8]?] = []
        var isRefusing = false
    }

    private let content = Mutex(Content())
    private let clock: VirtualClock
    private let delay: Duration?

    /// - Parameter delay: how long each answer takes.
    init(_ clock: VirtualClock, delay: Duration? = nil) {
        self.clock = clock
        self.delay = delay
    }

    var requestedAccounts: [String] { content.withLock { $0.requestedAccounts } }
    var secretsSeen: [[UInt8]?] { content.withLock { $0.secretsSeen } }

    var isRefusing: Bool {
        get { content.withLock { $0.isRefusing } }
        set { content.withLock { $0.isRefusing = newValue } }
    }

    func signInAgain(_ account: String, values: SessionValues) async throws -> [SessionValue] {
        let refresh = try await values.secret(named: "refresh")
        content.withLock { content in
            content.requestedAccounts.append(account)
            content.secretsSeen.append(refresh)
        }
        if let delay { try await clock.sleep(until: clock.now.advanced(by: delay)) }
        if isRefusing { throw Refused() }
        return [.secret("token", "new"), .plain("renewed", "yes")]
    }
}
