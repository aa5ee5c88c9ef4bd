internal import LarderFormat
internal import LarderStore
internal import Logging

/// The treatment of an account's unsent writes and points when it is signed out.
///
/// ```swift
/// do {
///     try await session.signOut()  // `.refuse`: with unsent writes the account stays signed in
/// } catch SessionError.unsent {
///     // The user decides: the writes are kept until jane signs in again, or they are lost.
///     try await session.signOut(keepsWrites ? .seal : .discard(named: "jane"))
/// }
/// ```
public enum SignOutPolicy: Hashable, Sendable {
    /// Refuses the sign-out while there are any.
    case refuse
    /// Keeps them, and sends them when the same account is signed in again; never as another. While they include
    /// writes, no other account is signed in on this store until then, or until they are discarded
    /// (``Session/discardSealed(of:)``).
    case seal
    /// Discards them, dead letters too. The account has to be named exactly, so that this does not happen by mistake.
    case discard(named: String)
}

extension Session {
    /// Discards the writes that an account left sealed, dead letters among them, and its points: for an account that
    /// does not return, so that another may sign in.
    ///
    /// - Parameter account: named exactly, so that this does not happen by mistake.
    /// - Throws: ``SessionError/stillSignedIn`` when the account is signed in; ``SessionError/wrongAccountName`` when
    ///   the store has nothing of an account of this name; as `Store.write(durability:_:)`. Nothing is changed then.
    public func discardSealed(of account: String) async throws {
        try await serialized { session in
            let now = session.store.host.now()
            try await session.commit { stored, transaction in
                if stored?.state != .signedOut, stored?.isOf(account) == true { throw SessionError.stillSignedIn }
                let unsent = try transaction.unsent(of: account)
                if unsent.isEmpty, unsent.rejected == 0 { throw SessionError.wrongAccountName }
                try transaction.discardUnsent(of: account, detail: "sealed, and discarded", at: now)
            }
        }
    }

    /// Signs the account out; does nothing when none is signed in.
    ///
    /// The treatment of its writes and points is part of the same durable commit. Its values are removed. Secrets are
    /// removed after the commit, and at the next start where that failed. Content stays, readable without an account:
    /// `Store.clear(discardingUnsent:)` removes it, and `HTTPCache.clear()` and `ObjectCache.clear(discardingUnsent:)`
    /// remove the content in memory and in files.
    ///
    /// Where the login has expired and the state of the network is unknown (neither ``run(_:)`` nor an attached outbox
    /// that runs), ``SignOutPolicy/refuse`` first calls the ``Authenticator`` and waits for it: only this shows whether
    /// the account could sign in again.
    ///
    /// - Parameter policy: the treatment of what was not sent.
    /// - Throws: ``SessionError/offlineAndExpired(_:)`` and ``SessionError/unsent(_:)`` for ``SignOutPolicy/refuse``;
    ///   ``SessionError/wrongAccountName`` for a wrong name to discard; as `Store.write(durability:_:)`. The account
    ///   stays signed in then.
    public func signOut(_ policy: SignOutPolicy = .refuse) async throws {
        // Outside of the turn, because a renewal runs in a turn of its own.
        if policy == .refuse, state == .expired, knownOffline == nil { await signInAgain() }
        try await serialized { session in
            // If the network is unknown still, the login could not be renewed.
            let (isOffline, now) = (session.knownOffline ?? true, session.store.host.now())
            try await session.commit { stored, transaction in
                guard let account = stored?.account, let state = stored?.state, state != .signedOut else { return }
                switch policy {
                case .refuse:
                    let unsent = try transaction.unsent(of: account)
                    if isOffline, state == .expired { throw SessionError.offlineAndExpired(unsent) }
                    if !unsent.isEmpty { throw SessionError.unsent(unsent) }
                case .seal: break
                case .discard(let name):
                    guard stored?.isOf(name) == true else { throw SessionError.wrongAccountName }
                    try transaction.discardUnsent(of: account, detail: "discarded when signing out", at: now)
                }
                // Content of a session that was begun where accounts shared it belongs to its account, too.
                if !self.contentIsShared { try transaction.bindUnownedContent(to: account) }
                stored?.state = .signedOut
                stored?.changedAt = now
                stored?.removeAllValues()
                if stored?.secretNames.isEmpty == true { stored?.account = nil }
            }
            do {
                try await session.removeSecrets()
            } catch {
                session.store.host.logger.warning(
                    "secrets of an ended session could not be removed: \(type(of: error))")
            }
        }
    }
}
