public import LarderFormat
public import LarderStore
public import LarderTransport
internal import Logging
internal import Synchronization

/// The account that is signed in, kept in the store with values that the host names, with renewal of an expired login.
///
/// Only ``signOut(_:)`` signs an account out. An expired login stays expired until the user signs in, or the host's
/// ``Authenticator`` has renewed it. Changes run one at a time, in the order of the calls.
///
/// ```swift
/// let session = try Session(store: store, secrets: keychain)
/// session.attach(outbox)  // sends the writes of the account that is signed in, and of no other
/// try await session.signIn(as: "jane", values: [.plain("workspace", "7"), .secret("token", token)])
/// print(await session.account ?? "nobody", await session.state)
/// try await session.signOut()  // throws while the server lacks writes of the account
/// ```
public actor Session {
    let store: Store
    let secrets: (any SecretStore)?
    let authenticator: (any Authenticator)?
    /// Whether every account may read the content of the store.
    let contentIsShared: Bool
    private let authenticationBroadcast: StateBroadcast<AuthenticationState>
    private let statusBroadcast: StateBroadcast<SessionStatus>
    private(set) var stored: StoredSession?
    /// Whether there is no network, as the host reported it; nil where it did not.
    private var isReportedOffline: Bool?
    /// The number of runs under way.
    private var runs = 0
    let outboxes = Mutex<[WeakOutbox]>([])
    /// The renewal under way, which further calls join.
    var currentRenewal: Task<Bool, Never>?
    private var lastTurn: Task<Void, Never>?

    /// The session as it was left in `store`.
    ///
    /// - Parameters:
    ///   - store: the store that keeps the session.
    ///   - secrets: the storage for secret values; without it they are refused.
    ///   - authenticator: renews an expired login; without it the user has to sign in.
    ///   - contentIsShared: whether every account may read the content that another one left in the store. Where it is
    ///     false, ``signIn(as:values:)`` refuses the next account until that content was removed.
    /// - Throws: `StoreError`, `EngineError`.
    public init(
        store: Store, secrets: (any SecretStore)? = nil, authenticator: (any Authenticator)? = nil,
        contentIsShared: Bool = true
    ) throws {
        self.store = store
        self.secrets = secrets
        self.authenticator = authenticator
        self.contentIsShared = contentIsShared
        let found = try store.read { view in try view.session() }
        stored = found
        authenticationBroadcast = StateBroadcast(AuthenticationState(found))
        statusBroadcast = StateBroadcast(try Self.status(of: found, isOffline: false, in: store))
    }

    /// The account that is signed in, even with an expired login; nil when none is.
    public var account: String? { stored.flatMap { $0.state == .signedOut ? nil : $0.account } }

    /// The state of the login; `signedOut` before any account has signed in.
    public var state: StoredSession.State { stored?.state ?? .signedOut }

    /// Whether there is known to be no network.
    private var isOffline: Bool { knownOffline ?? false }

    /// Whether there is no network; nil where neither the host nor an outbox that runs has reported it.
    var knownOffline: Bool? {
        // Not lazily: a lazy sequence would read each outbox twice, and it may be gone the second time.
        isReportedOffline ?? outboxes.withLock { $0.compactMap(\.outbox?.isOffline).first }
    }

    /// The state of the session, with the writes and points that the server does not have.
    ///
    /// - Throws: `StoreError`, `EngineError`.
    public var status: SessionStatus {
        get throws { try Self.status(of: stored, isOffline: isOffline, in: store) }
    }

    /// Returns the plain value of a name, or nil.
    public func value(named name: String) -> [UInt8]? { stored?.value(named: name) }

    /// Returns the secret of a name, or nil.
    ///
    /// - Throws: ``SessionError/secretStoreFailed(reason:)`` when the host's ``SecretStore`` throws.
    public func secret(named name: String) async throws -> [UInt8]? {
        guard let account, let secrets, stored?.hasSecret(named: name) == true else { return nil }
        return try await Self.mappingErrors { try await secrets.secret(SecretName(account: account, name: name)) }
    }

    /// Returns the authentication state now, and whenever it changes.
    package nonisolated func authenticationStates() -> AsyncStream<AuthenticationState> {
        authenticationBroadcast.states()
    }

    /// The authentication state.
    package nonisolated var authentication: AuthenticationState { authenticationBroadcast.current }

    /// Returns the status now, and whenever it changes while ``run(_:)`` runs.
    public nonisolated func statuses() -> AsyncStream<SessionStatus> { statusBroadcast.states() }

    private static func status(
        of stored: StoredSession?, isOffline: Bool, in store: Store
    ) throws -> SessionStatus {
        let state = stored?.state ?? .signedOut
        let account = state == .signedOut ? nil : stored?.account
        let unsent = try store.read { view in try view.unsent(of: account) }
        return SessionStatus(state: state, account: account, isOffline: isOffline, unsent: unsent)
    }
}

// MARK: - Observing the network and the store

extension Session {
    /// Follows the network and the outbox for ``statuses()``, until the task is cancelled or the store closes.
    ///
    /// The run of an outbox that the session is attached to does this as well. When no run is left, the network is
    /// unknown.
    public func run(_ connectivity: any ConnectivitySource) async {
        // Observed before any other wait, so that no change is missed.
        let (writes, points) = (store.changes(in: .outbox), store.changes(in: .buffers))
        runs += 1
        await removeLeftoverSecrets()
        await withTaskGroup { group in
            group.addTask {
                for await state in connectivity.states() { await self.setNetworkState(state) }
            }
            group.addTask { for await _ in writes { await self.publishStatus() } }
            group.addTask { for await _ in points { await self.publishStatus() } }
            await group.waitForAll()
        }
        runs -= 1
        if runs == 0 { update(isOffline: nil) }
    }

    /// Records the state of the network.
    public func setNetworkState(_ network: NetworkState) { update(isOffline: network.level == .offline) }

    private func update(isOffline isNowOffline: Bool?) {
        let wasOffline = isOffline
        isReportedOffline = isNowOffline
        if isOffline != wasOffline { publishStatus() }
    }

    private func publishStatus() {
        do {
            statusBroadcast.set(try status)
        } catch {
            store.host.logger.warning("the status of the session is not known: \(type(of: error))")
        }
    }

    private func setStored(_ session: StoredSession?) {
        stored = session
        let authentication = AuthenticationState(session)
        authenticationBroadcast.set(authentication)
        notifyOutboxes(authentication)
        publishStatus()
    }

    /// Runs `body` when all calls made before it have ended.
    func serialized<Value: Sendable>(
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

    /// Changes the stored session in one durable commit, and notifies observers.
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
            setStored(session)
        } catch StoreError.invalid(.payloadTooLarge(let actual, let limit)) {
            throw SessionError.tooLarge(actual: actual, limit: limit)
        }
    }
}
