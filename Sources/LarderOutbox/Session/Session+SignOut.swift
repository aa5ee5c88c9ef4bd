internal import LarderFormat
internal import LarderStore
internal import Logging

/// What becomes of what an account has not got rid of when it is signed out.
public enum UnsentChoice: Hashable, Sendable {
    /// Nothing: while there is anything, nobody is signed out.
    case refuse
    /// It stays, and is sent when the same account is signed in again; never as another. Until then, and until it is
    /// given up (``Session/discardSealed(of:)``), no other account is signed in on this store.
    case seal
    /// It is given up, dead letters too. The account has to be named exactly, so that nobody does so by mistake.
    case discard(named: String)
}

extension Session {
    /// Gives up what an account left sealed: its writes, dead letters among them, and its points. For when it does not
    /// return, so that another may sign in.
    ///
    /// - Parameter account: named exactly, so that nobody does so by mistake.
    /// - Throws: ``SessionError/stillSignedIn``; ``SessionError/wrongAccountName`` when nothing of an account so named is
    ///   there; as ``Store/write(durability:_:)``. Nothing is changed then.
    public func discardSealed(of account: String) async throws {
        try await inTurn { session in
            let now = session.store.host.now()
            try await session.commit { stored, transaction in
                if stored?.state != .signedOut, stored?.isOf(account) == true { throw SessionError.stillSignedIn }
                let unsent = try transaction.unsent(of: account)
                if unsent.isEmpty, unsent.rejected == 0 { throw SessionError.wrongAccountName }
                try transaction.discardUnsent(of: account, detail: "sealed, and discarded", at: now)
            }
        }
    }

    /// Signs whoever is signed in out; does nothing when nobody is.
    ///
    /// In one durable commit with what becomes of the account's writes and points. The values go; secrets are removed behind it,
    /// and at the next start where that did not work. Content stays: `Store.clear(discardingUnsent:)` removes it, and
    /// `HTTPCache.clear()` and `ObjectCache.clear(discardingUnsent:)` what lies in memory and in files.
    ///
    /// Where the login has expired and the state of the network is unknown (neither ``run(_:)`` nor an attached outbox that
    /// runs), ``UnsentChoice/refuse`` asks the ``Authenticator`` to renew it first, and waits for that: only so is it known
    /// whether the account could come back.
    ///
    /// - Parameter choice: what becomes of what was not sent.
    /// - Throws: ``SessionError/offlineAndExpired(_:)`` and ``SessionError/unsent(_:)`` for ``UnsentChoice/refuse``,
    ///   ``SessionError/wrongAccountName``; as ``Store/write(durability:_:)``. Nothing is changed then.
    public func signOut(_ choice: UnsentChoice = .refuse) async throws {
        // Outside of the turn: a renewal takes one of its own.
        if choice == .refuse, state == .expired, knownOffline == nil { await signInAgain() }
        try await inTurn { session in
            // Unknown still, the login could not be renewed.
            let (isOffline, now) = (session.knownOffline ?? true, session.store.host.now())
            try await session.commit { stored, transaction in
                guard let account = stored?.account, let state = stored?.state, state != .signedOut else { return }
                switch choice {
                case .refuse:
                    let unsent = try transaction.unsent(of: account)
                    if isOffline, state == .expired { throw SessionError.offlineAndExpired(unsent) }
                    if !unsent.isEmpty { throw SessionError.unsent(unsent) }
                case .seal: break
                case .discard(let name):
                    guard stored?.isOf(name) == true else { throw SessionError.wrongAccountName }
                    try transaction.discardUnsent(of: account, detail: "discarded when signing out", at: now)
                }
                stored?.state = .signedOut
                stored?.changedAt = now
                stored?.removeAllValues()
                if stored?.secretNames.isEmpty == true { stored?.account = nil }
            }
            do {
                try await session.removeSecrets()
            } catch {
                session.store.host.logger.warning("secrets of a session that has ended are left: \(type(of: error))")
            }
        }
    }
}
