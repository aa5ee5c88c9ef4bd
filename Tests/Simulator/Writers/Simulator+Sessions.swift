// Simulator+Sessions: signs accounts in and out.

internal import LarderEngine
internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting

// Who is signed in.
extension Simulator {
    /// The session of a process, which says whose writes its outbox sends.
    func session(of outbox: Outbox?, _ store: Store) throws -> Session? {
        guard scenario.hasSession, let outbox else { return nil }
        let session = try working { try Session(store: store) }
        session.attach(outbox)
        return session
    }

    /// Whose writes are made; nil while nobody is signed in.
    func signedInAccount() throws -> String? {
        guard scenario.hasSession, let store else { return WriteLog.accounts[0] }
        let session = try working { try store.read { view in try view.session() } }
        return session?.state == .signedIn ? session?.account : nil
    }

    func signIn(as account: String) {
        withSession { session in try await session.signIn(as: account) }
    }

    func signOut(_ policy: SignOutPolicy) {
        withSession { session in try await session.signOut(policy) }
    }

    private func withSession(_ body: @escaping @Sendable (Session) async throws -> Void) {
        guard let process, let session = process.session, !isStopping else { return }
        process.call { [unowned self, unowned process] in
            do {
                try await body(session)
            } catch is SessionError {
                if !process.life.isOver { log("  refused") }
            } catch {
                if process.life.isOver || error is CancellationError || disk.hasFailed { return }
                recordingViolation { throw Violation(.store, "the session cannot be stored: \(error)") }
            }
        }
    }

    /// Nobody is signed in over what another one has not got rid of, which readers would see.
    func checkAccounts(of entries: [OutboxEntry]) throws {
        guard let account = try signedInAccount() else { return }
        for entry in entries where entry.delivery.state != .rejected && entry.draft.account != account {
            throw Violation(.outbox, "\(account) is signed in over a write of \(entry.draft.account ?? "nobody")")
        }
    }

    /// Signs whoever has unsent writes in again; whether there is need to.
    func signInOwner(of entries: [OutboxEntry]) throws -> Bool {
        guard try signedInAccount() == nil,
            let owner = entries.first(where: { $0.delivery.state != .rejected })?.draft.account
        else { return false }
        signIn(as: owner)
        return true
    }
}
