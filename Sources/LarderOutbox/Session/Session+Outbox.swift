internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension Session {
    /// What an outbox's configuration needs so that an expired login is renewed:
    /// `configuration.signIn = session.renewal`.
    ///
    /// Notes that the login has expired, and asks the ``Authenticator``; many who ask at once are one question.
    public nonisolated var renewal: @Sendable (_ account: String?) async -> Bool {
        { account in
            if let account { try? await self.noteExpired(account) }
            let isSignedIn = await self.signInAgain()
            // Somebody else may be by now.
            let current = await self.account
            return isSignedIn && SessionGate.signedIn(current).admits(account)
        }
    }

    /// Lets the session decide whose writes an outbox sends: at once, and whenever that changes, as long as both live. The
    /// session runs (``run(_:)``) whenever the outbox does.
    ///
    /// To be called once for an outbox, before anything is enqueued. What the outbox finds out about the login the
    /// session notes through ``renewal``.
    public nonisolated func attach(_ outbox: Outbox) {
        outboxes.withLock { $0.append(WeakOutbox(outbox: outbox)) }
        outbox.addCompanion { [weak self, connectivity = outbox.connectivity] in await self?.run(connectivity) }
        outbox.follow(gate)
    }

    nonisolated func tellOutboxes(_ gate: SessionGate) {
        let known = outboxes.withLock { outboxes in
            outboxes.removeAll { $0.outbox == nil }
            return outboxes.compactMap(\.outbox)
        }
        for outbox in known { outbox.follow(gate) }
    }
}

/// An outbox that a session tells who is signed in, and does not keep alive.
struct WeakOutbox: Sendable {
    weak let outbox: Outbox?
}

extension Outbox {
    /// Whether there is no network; nil where the outbox does not run, or does not know yet.
    var isOffline: Bool? { state.withLock { $0.loop?.machine.network.map { !$0 } ?? nil } }

    /// As `setGate`, unless the outbox knows: it would ask anew for what it is asking for.
    fileprivate func follow(_ gate: SessionGate) {
        if gateBroadcast.current != gate { setGate(gate) }
    }
}
