internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension Session {
    /// The closure for an outbox's configuration that renews an expired login:
    /// `configuration.signIn = session.renewal`.
    ///
    /// It records that the login has expired, and calls the ``Authenticator``; concurrent calls share one renewal.
    public nonisolated var renewal: @Sendable (_ account: String?) async -> Bool {
        { account in
            if let account { try? await self.markExpired(account) }
            let isSignedIn = await self.signInAgain()
            // Another account may be signed in by now.
            let current = await self.account
            return isSignedIn && AuthenticationState.signedIn(current).allows(account)
        }
    }

    /// Lets the session decide whose writes an outbox sends: at once, and whenever that changes, as long as both live.
    /// The session runs (``run(_:)``) whenever the outbox does.
    ///
    /// Call it once for an outbox, before anything is enqueued. Through ``renewal`` the session records that the outbox
    /// found the login expired.
    public nonisolated func attach(_ outbox: Outbox) {
        outboxes.withLock { $0.append(WeakOutbox(outbox: outbox)) }
        outbox.addAttachedTask { [weak self, connectivity = outbox.connectivity] in await self?.run(connectivity) }
        outbox.setAuthenticationIfChanged(authentication)
    }

    nonisolated func notifyOutboxes(_ authentication: AuthenticationState) {
        let known = outboxes.withLock { outboxes in
            outboxes.removeAll { $0.outbox == nil }
            return outboxes.compactMap(\.outbox)
        }
        for outbox in known { outbox.setAuthenticationIfChanged(authentication) }
    }
}

/// A weak reference to an outbox that a session notifies of its authentication state.
struct WeakOutbox: Sendable {
    weak let outbox: Outbox?
}

extension Outbox {
    /// Whether there is no network; nil where the outbox does not run, or the network is not known yet.
    var isOffline: Bool? { state.withLock { $0.loop?.machine.network.map { !$0 } ?? nil } }

    /// As `setAuthentication`, unless the outbox has this state already: setting it again would count as another sign-in.
    fileprivate func setAuthenticationIfChanged(_ authentication: AuthenticationState) {
        if authenticationBroadcast.current != authentication { setAuthentication(authentication) }
    }
}
