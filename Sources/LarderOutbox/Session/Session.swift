public import LarderFormat
public import LarderStore
public import LarderTransport
internal import Logging
internal import Synchronization

/// Who is signed in: kept in the store, together with values that the host names, and renewed when it expires.
///
/// Nothing but ``signOut(_:)`` signs anybody out. An expired login stays one until somebody signs in, or the host's
/// ``Authenticator`` has renewed it. Calls take their turns, in the order they were made.
public actor Session {
    let store: Store
    let secrets: (any SecretStore)?
    let authenticator: (any Authenticator)?
    private let gateStates: StateBroadcast<SessionGate>
    private let statusStates: StateBroadcast<SessionStatus>
    private(set) var stored: StoredSession?
    /// How the network is, as far as anybody has said.
    private var isNotedOffline: Bool?
    /// The runs under way.
    private var runs = 0
    let outboxes = Mutex<[WeakOutbox]>([])
    /// The renewal under way, which others join.
    var currentRenewal: Task<Bool, Never>?
    private var lastTurn: Task<Void, Never>?

    /// The session as it was left in `store`.
    ///
    /// - Parameters:
    ///   - secrets: where secret values go; without it they are refused.
    ///   - authenticator: renews an expired login; without it a person has to sign in.
    /// - Throws: ``StoreError``, `EngineError`.
    public init(
        store: Store, secrets: (any SecretStore)? = nil, authenticator: (any Authenticator)? = nil
    ) throws {
        self.store = store
        self.secrets = secrets
        self.authenticator = authenticator
        let found = try store.read { view in try view.session() }
        stored = found
        gateStates = StateBroadcast(SessionGate(found))
        statusStates = StateBroadcast(try Self.status(of: found, isOffline: false, in: store))
    }

    /// The account that is signed in, be its login expired; nil when nobody is.
    public var account: String? { stored.flatMap { $0.state == .signedOut ? nil : $0.account } }

    /// How the session is; `signedOut` before anybody has ever signed in.
    public var state: StoredSession.State { stored?.state ?? .signedOut }

    /// Whether the network is known to be gone.
    private var isOffline: Bool { knownOffline ?? false }

    /// Whether there is no network; nil where neither the host nor an outbox that runs has said.
    var knownOffline: Bool? {
        // Not lazily: that looks at each outbox twice, and it may be gone the second time.
        isNotedOffline ?? outboxes.withLock { $0.compactMap(\.outbox?.isOffline).first }
    }

    /// How it is, with what the account has not got rid of.
    ///
    /// - Throws: ``StoreError``, `EngineError`.
    public var status: SessionStatus {
        get throws { try Self.status(of: stored, isOffline: isOffline, in: store) }
    }

    /// The plain value of a name, or nil.
    public func value(named name: String) -> [UInt8]? { stored?.value(named: name) }

    /// The secret of a name, or nil.
    ///
    /// - Throws: ``SessionError/secretStoreFailed(reason:)``.
    public func secret(named name: String) async throws -> [UInt8]? {
        guard let account, let secrets, stored?.hasSecret(named: name) == true else { return nil }
        return try await Self.asking { try await secrets.secret(SecretName(account: account, name: name)) }
    }

    /// Whose writes may be sent, now and whenever that changes.
    package nonisolated func gates() -> AsyncStream<SessionGate> { gateStates.states() }

    /// Whose writes may be sent.
    package nonisolated var gate: SessionGate { gateStates.current }

    /// The status now, and whenever it changes while ``run(_:)`` runs.
    public nonisolated func statuses() -> AsyncStream<SessionStatus> { statusStates.states() }

    private static func status(
        of stored: StoredSession?, isOffline: Bool, in store: Store
    ) throws -> SessionStatus {
        let state = stored?.state ?? .signedOut
        let account = state == .signedOut ? nil : stored?.account
        let unsent = try store.read { view in try view.unsent(of: account) }
        return SessionStatus(state: state, account: account, isOffline: isOffline, unsent: unsent)
    }
}

// MARK: - Around it

extension Session {
    /// Follows the network and the outbox until the task is cancelled or the store closes, so that ``statuses()`` tell.
    ///
    /// The run of an outbox that the session is attached to does this as well. When no run is left, nothing is known of the network
    /// any more.
    public func run(_ connectivity: any ConnectivitySource) async {
        // Before anything else is waited for, so that nothing is missed.
        let (writes, points) = (store.changes(in: .outbox), store.changes(in: .buffers))
        runs += 1
        await removeLeftoverSecrets()
        await withTaskGroup { group in
            group.addTask {
                for await state in connectivity.states() { await self.note(state) }
            }
            group.addTask { for await _ in writes { await self.tellStatus() } }
            group.addTask { for await _ in points { await self.tellStatus() } }
            await group.waitForAll()
        }
        runs -= 1
        if runs == 0 { note(isOffline: nil) }
    }

    /// Takes note of how the network is.
    public func note(_ network: NetworkState) { note(isOffline: network.level == .offline) }

    private func note(isOffline isNowOffline: Bool?) {
        let wasOffline = isOffline
        isNotedOffline = isNowOffline
        if isOffline != wasOffline { tellStatus() }
    }

    private func tellStatus() {
        do {
            statusStates.set(try status)
        } catch {
            store.host.logger.warning("the status of the session is not known: \(type(of: error))")
        }
    }

    private func take(_ session: StoredSession?) {
        stored = session
        let gate = SessionGate(session)
        gateStates.set(gate)
        tellOutboxes(gate)
        tellStatus()
    }

    /// Runs `body` when all that was asked for before is done.
    func inTurn<Value: Sendable>(
        _ body: @escaping @Sendable (isolated Session) async throws -> Value
    ) async throws -> Value {
        let previous = lastTurn
        let turn = Task {
            await previous?.value
            return try await body(self)
        }
        lastTurn = Task { _ = await turn.result }
        return try await turn.value
    }

    /// Changes what is stored, in one durable commit, and says so to whoever follows.
    func commit(
        _ change: @escaping @Sendable (inout StoredSession?, inout Transaction) throws -> Void
    ) async throws {
        do {
            let session = try await store.write { transaction in
                var session = try transaction.session()
                let before = session
                try change(&session, &transaction)
                if let session, session != before { try transaction.putSession(session) }
                return session
            }
            take(session)
        } catch StoreError.invalid(.payloadTooLarge(let actual, let limit)) {
            throw SessionError.tooLarge(actual: actual, limit: limit)
        }
    }
}
