import LarderFormat
import LarderOutbox
import LarderStore

// The checks of the outbox: writes that wait for somebody.

extension DoctorCheck {
    /// The age from which on a write that is not accepted is reported: 7 days, in milliseconds.
    static let oldAge: Int64 = FilterReadiness.defaultOverdueAge

    static func damagedWrites(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let writes = facts.writes, writes.damaged > 0 else { return [] }
        let ids = writes.damagedIDs.isEmpty ? "" : ": \(list(writes.damagedIDs))"
        return [
            Diagnosis(
                severity: .broken, found: "\(countText(writes.damaged, "write")) with damaged records\(ids).",
                kept: "The other writes are kept and sent; these cannot be.",
                remedy: "Run 'cachetool outbox drop STORE ID' for each, and make them again.", status: .damage)
        ]
    }

    /// Writes that failed or were rejected, of each state one diagnosis.
    static func deadLetters(_ facts: DoctorFacts) -> [Diagnosis] {
        let failed = found(facts) { $0.state == .failed }
        let rejected = found(facts) { $0.state == .rejected }
        var all: [Diagnosis] = []
        if let first = failed.first {
            all.append(
                Diagnosis(
                    severity: .broken,
                    found: "\(countText(failed.count, "write")) failed, the first \(first.id)\(reason(first, facts)).",
                    kept: "Content and local effects are kept; the server does not have them, and later writes of the "
                        + "same lane may wait behind.",
                    remedy: "Correct the cause, then run 'cachetool outbox retry STORE --all-failed', or call "
                        + "Outbox.retry(_:) in the app."))
        }
        if let first = rejected.first {
            all.append(
                Diagnosis(
                    severity: .broken,
                    found: "The server rejected \(countText(rejected.count, "write")), the first \(first.id)"
                        + "\(reason(first, facts)).",
                    kept: "Content is kept; its local effects were removed.",
                    remedy: "Run 'cachetool outbox retry STORE ID' to send one again, or 'cachetool outbox drop STORE "
                        + "ID' to remove it."))
        }
        return all
    }

    static func unresolved(_ facts: DoctorFacts) -> [Diagnosis] {
        let writes = found(facts) { $0.state == .unresolved }
        guard let first = writes.first else { return [] }
        return [
            Diagnosis(
                severity: .broken,
                found: "For \(countText(writes.count, "write")), the first \(first.id), it is unknown whether the "
                    + "server has it, and the server no longer knows the key.",
                kept: "Content and local effects are kept; the entity of each waits.",
                remedy: "Compare with the server; then let the app decide, or run 'cachetool outbox drop STORE ID'.")
        ]
    }

    static func conflicted(_ facts: DoctorFacts) -> [Diagnosis] {
        let writes = found(facts) { $0.state == .conflicted }
        guard let first = writes.first else { return [] }
        return [
            Diagnosis(
                severity: .attention,
                found: "\(countText(writes.count, "write")) in conflict with the server's version, the first "
                    + "\(first.id).",
                kept: "Both versions are kept until the resolver has decided.",
                remedy: "Run the app, whose resolver decides; without one, set OutboxConfiguration.conflicts.")
        ]
    }

    static func inDoubt(_ facts: DoctorFacts) -> [Diagnosis] {
        let writes = found(facts) { $0.isInDoubt && $0.state.isPending && $0.state != .unresolved }
        guard let first = writes.first else { return [] }
        return [
            Diagnosis(
                severity: .attention,
                found: "\(countText(writes.count, "write")) in doubt, the first \(first.id): the server may have it "
                    + "already\(reason(first, facts)).",
                kept: "Content is kept, and is sent again under the same key, so that it counts once.",
                remedy: "Let the app run online; 'cachetool outbox show STORE ID' shows the tries.")
        ]
    }

    /// Writes that wait for another account, or for a new sign-in.
    static func withoutSignIn(_ facts: DoctorFacts) -> [Diagnosis] {
        let others = found(facts) { if case .account = $0.reason { true } else { false } }
        let expired = found(facts) { if case .signIn = $0.reason { true } else { false } }
        var all: [Diagnosis] = []
        if !others.isEmpty {
            let accounts = Set(others.map { $0.reason }).count
            all.append(
                Diagnosis(
                    severity: .attention,
                    found: "\(countText(others.count, "write")) of \(countText(accounts, "account")) not signed in.",
                    kept: "They are kept sealed, and sent after a sign-in of their own account only.",
                    remedy: "Sign in that account; Session.discardSealed(of:) discards them."))
        }
        if !expired.isEmpty {
            all.append(
                Diagnosis(
                    severity: .attention,
                    found: "\(countText(expired.count, "write")) whose account has credentials that the server no "
                        + "longer accepts.",
                    kept: "They are kept, and no attempt is used up.",
                    remedy: "Have the user sign in again (Session.signIn)."))
        }
        return all
    }

    static func oldWrites(_ facts: DoctorFacts) -> [Diagnosis] {
        let (limit, isTooOld) = facts.now.subtractingReportingOverflow(oldAge)
        let writes = found(facts) { $0.state.isPending && !isTooOld && $0.createdAt < limit }
        guard let oldest = writes.min(by: { $0.createdAt < $1.createdAt }) else { return [] }
        return [
            Diagnosis(
                severity: .attention,
                found: "\(countText(writes.count, "write")) older than 7 days not accepted yet, the oldest "
                    + "\(oldest.id) of \(timeText(oldest.createdAt)).",
                kept: "They are kept until the server has accepted or refused them.",
                remedy: "Let the app run online; 'cachetool outbox list STORE' says what each waits for.")
        ]
    }

    static func resolvedConflicts(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let journal = facts.journal, journal.conflicts > 0 else { return [] }
        return [
            Diagnosis(
                severity: .note,
                found: "\(countText(journal.conflicts, "resolved conflict")) in the journal, the last at "
                    + "\(timeText(journal.lastConflictAt)).",
                kept: "The journal has both versions of each, and each can be undone.",
                remedy: "Look at 'cachetool journal STORE --kind conflict' if the wrong version won.")
        ]
    }

    private static func found(
        _ facts: DoctorFacts, _ isWanted: (WriteFacts.Write) -> Bool
    ) -> [WriteFacts.Write] { (facts.writes?.writes ?? []).filter(isWanted) }

    private static func reason(_ write: WriteFacts.Write, _ facts: DoctorFacts) -> String {
        write.lastError.map { " (\(facts.redactor.text($0)))" } ?? ""
    }

    private static func list(_ ids: [UUIDBytes]) -> String {
        ids.prefix(3).map(\.description).joined(separator: " ") + (ids.count > 3 ? " …" : "")
    }
}
