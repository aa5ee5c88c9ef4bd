internal import LarderFormat
internal import LarderStore
internal import Logging

extension Session {
    /// Signs an account in, after it has authenticated with the server for the first time or again.
    ///
    /// State and plain values are stored in one commit, secrets before it. If the account is signed in already, values
    /// of other names stay. Writes that were sealed for the account are sent from now on. While the store holds unsent
    /// writes of another account, no other account is signed in, because readers would see those writes.
    ///
    /// - Throws: ``SessionError/otherAccount`` while another account is signed in;
    ///   ``SessionError/sealedWrites(accounts:_:)`` for unsent writes of others;
    ///   ``SessionError/contentOfOtherAccount`` for content of another one, unless accounts share content;
    ///   ``SessionError/noSecretStore(secrets:)``, ``SessionError/secretStoreFailed(reason:)`` for secret values;
    ///   ``SessionError/tooLarge(actual:limit:)``. State and plain values are unchanged then. Otherwise as
    ///   `Store.write(durability:_:)`.
    public func signIn(as account: String, values: [SessionValue] = []) async throws {
        try await serialized { session in
            if let current = session.stored, current.state != .signedOut, !current.isOf(account) {
                throw SessionError.otherAccount
            }
            try await session.signIn(account, values, from: nil)
        }
    }

    /// Changes values of the account that is signed in: plain ones in one commit, secrets before it.
    ///
    /// - Throws: ``SessionError/notSignedIn`` when no account is; otherwise as ``signIn(as:values:)``.
    public func setValues(_ values: [SessionValue]) async throws {
        try await serialized { session in
            guard let account = session.account else { throw SessionError.notSignedIn }
            try await session.storeSecrets(values, of: account)
            try await session.commit { stored, _ in
                guard stored?.state != .signedOut, stored?.isOf(account) == true else {
                    throw SessionError.notSignedIn
                }
                stored?.setValues(values)
            }
        }
    }

    /// Removes values, secret ones too.
    ///
    /// - Throws: ``SessionError/notSignedIn`` when no account is; ``SessionError/secretStoreFailed(reason:)``; as
    ///   `Store.write(durability:_:)`.
    public func removeValues(named names: [String]) async throws {
        try await serialized { session in
            guard let account = session.account else { throw SessionError.notSignedIn }
            for name in names where session.stored?.hasSecret(named: name) == true {
                try await session.setSecret(nil, SecretName(account: account, name: name))
            }
            try await session.commit { stored, _ in
                for name in names { stored?.setValue(nil, named: name) }
            }
        }
    }

    /// Records that the server no longer accepts the account's credentials.
    ///
    /// Does nothing unless this account is signed in.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func markExpired(_ account: String) async throws {
        let now = store.host.now()
        try await serialized { session in
            try await session.commit { stored, _ in
                guard stored?.state == .signedIn, stored?.isOf(account) == true else { return }
                stored?.state = .expired
                stored?.changedAt = now
            }
        }
    }

    /// Renews an expired login; calls made while it is being renewed join that.
    ///
    /// An online outbox calls this automatically. If it fails the login stays expired, and no account is signed out.
    ///
    /// - Returns: whether the account is signed in now.
    @discardableResult
    public func signInAgain() async -> Bool {
        if let currentRenewal { return await currentRenewal.value }
        guard let current = stored, current.state == .expired, let account = current.account else {
            return state == .signedIn
        }
        guard let authenticator else { return false }
        let task = Task { await renew(account, current, with: authenticator) }
        currentRenewal = task
        let isSignedIn = await task.value
        currentRenewal = nil
        return isSignedIn
    }

    private func renew(
        _ account: String, _ current: StoredSession, with authenticator: any Authenticator
    ) async -> Bool {
        let values = SessionValues(plain: { current.value(named: $0) }, secret: { try await self.secret(named: $0) })
        do {
            let renewed = try await authenticator.signInAgain(account, values: values)
            // If the session has changed meanwhile, the renewed values are dropped.
            try await serialized { session in try await session.signIn(account, renewed, from: current) }
            return state == .signedIn
        } catch {
            store.host.logger.info("signing in again did not work: \(type(of: error))")
            return false
        }
    }

    /// - Parameter expected: the expired session that is renewed; nil when the user signs in.
    private func signIn(_ account: String, _ values: [SessionValue], from expected: StoredSession?) async throws {
        if let expected, !isUnchanged(expected) { return }
        // Checked before anything is changed, and again in the commit. An account that is signed in already stays so.
        if state == .signedOut {
            try store.read { view in
                try checkWrites(account, view)
                try checkContent(account, view)
            }
            try await removeSecrets()
        }
        try await storeSecrets(values, of: account)
        let now = store.host.now()
        try await commit { stored, transaction in
            // Another process may have changed the session since this one read it.
            if let stored, stored.state != .signedOut, !stored.isOf(account) { throw SessionError.otherAccount }
            if let expected, stored?.signedInAt != expected.signedInAt || stored?.state != .expired { return }
            if stored?.state ?? .signedOut == .signedOut { try self.checkWrites(account, transaction) }
            try self.checkContent(account, transaction)
            try transaction.bindContent(to: self.contentIsShared ? nil : account)
            var session: StoredSession
            if let known = stored, known.isOf(account) {
                session = known
            } else {
                session = StoredSession(state: .signedIn, account: account, changedAt: now, signedInAt: now)
            }
            if session.state != .signedIn { session.changedAt = now }
            session.state = .signedIn
            session.signedInAt = now
            session.setValues(values)
            stored = session
        }
    }

    /// Throws where the account would see unsent writes that others have left.
    private nonisolated func checkWrites<Reader: StoreReader & ~Copyable & ~Escapable>(
        _ account: String, _ reader: borrowing Reader
    ) throws {
        let writes = try reader.writesOfOtherAccounts(than: account)
        if !writes.accounts.isEmpty { throw SessionError.sealedWrites(accounts: writes.accounts, writes.unsent) }
    }

    /// Throws where the account would see content of others that is not shared.
    private nonisolated func checkContent<Reader: StoreReader & ~Copyable & ~Escapable>(
        _ account: String, _ reader: borrowing Reader
    ) throws {
        if !contentIsShared, try reader.hasContent(ofOtherAccountThan: account) {
            throw SessionError.contentOfOtherAccount
        }
    }

    private func isUnchanged(_ expected: StoredSession) -> Bool {
        guard let stored, let account = expected.account else { return false }
        return stored.state == .expired && stored.isOf(account) && stored.signedInAt == expected.signedInAt
    }
}

extension StoredSession {
    fileprivate mutating func setValues(_ values: [SessionValue]) {
        for value in values {
            if value.isSecret { addSecretName(value.name) } else { setValue(value.content, named: value.name) }
        }
    }
}
