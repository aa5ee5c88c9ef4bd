/// What each status means; the lines that a server needs otherwise are overridden one by one.
///
/// docs/internals/outbox.md, "Outcomes". No answer at all is no status: it is always tried again.
public struct OutcomeTable: Hashable, Sendable {
    /// What a status means, without how long to wait.
    public enum Rule: Hashable, Sendable {
        /// The server has the write.
        case accepted
        /// Try again; the answer's Retry-After is honoured.
        case retry
        /// Something else answered in the server's place: try again, without an attempt.
        case wait
        /// Wait until the account is signed in.
        case pause
        /// The server said no.
        case rejected
        /// The server holds something else.
        case conflict
    }

    private var overrides: [Int: Rule] = [:]
    /// Whether 409 to a second or later try means that an earlier one was performed.
    private var acceptsRepeatedConflicts = false

    /// The table without overrides: what HTTP says, and idempotency keys.
    public static let standard = OutcomeTable()

    /// For servers that answer a key they have seen with 409 and the cached reply, and do not mark it.
    ///
    /// A 409 to the first try is a conflict all the same: nothing was performed under the key before.
    public static let replaysAsConflict: OutcomeTable = {
        var table = OutcomeTable()
        table.acceptsRepeatedConflicts = true
        return table
    }()

    /// For writes that are sent on a condition (If-Match): 412, that it does not hold, is a conflict.
    public static let conditional = standard.on(412, .conflict)

    /// This table with another rule for one status, 100 to 599, whatever the method.
    public func on(_ status: Int, _ rule: Rule) -> OutcomeTable {
        precondition((100...599).contains(status), "\(status) is no status")
        var table = self
        table.overrides[status] = rule
        return table
    }

    /// What an answer means.
    ///
    /// An answer that is not the API's (``AnswerFacts/isForeign``) or broke off (``AnswerFacts/isWhole``) is neither success nor a refusal,
    /// whatever the overrides say.
    public func verdict(for answer: AnswerFacts) -> Verdict {
        if answer.isForeign || answer.status == 511 { return verdict(ruleForForeign(answer.status), answer) }
        let rule = overrides[answer.status] ?? rule(for: answer)
        // What was to come may have been a page, or have said more.
        if !answer.isWhole, [.accepted, .rejected, .conflict].contains(rule) { return .retry(after: nil) }
        return verdict(rule, answer)
    }

    /// Statuses about the connection, which say nothing of the write: of a proxy (407), a server that another was taken for (421), a
    /// protocol (426) and a network (511).
    package static let ofConnection: Set<Int> = [407, 421, 426, 511]

    /// A sign-in page, a proxy's page or a redirect may stay for days, and spends no attempt. A page under a status of refusal may be
    /// the server's own, for a path it does not know: it spends attempts, so that such a write ends as failed and does not hold its
    /// lane for ever; nothing is rolled back.
    private func ruleForForeign(_ status: Int) -> Rule {
        switch status {
        case 401: .pause
        case 200...399: .wait
        default: Self.ofConnection.contains(status) ? .wait : .retry
        }
    }

    /// A status that HTTP does not know counts as 5xx (RFC 9110 §15), and so does one that is not final: neither is a refusal.
    private func rule(for answer: AnswerFacts) -> Rule {
        switch answer.status {
        case 200...299: .accepted
        case 401: .pause
        case 404 where answer.method == "DELETE": .accepted
        case 410 where answer.method == "DELETE": .accepted
        case _ where Self.ofConnection.contains(answer.status): .wait
        case 300...399: .wait
        case 408, 425, 429: .retry
        case 409: ruleForConflict(answer)
        case 400...499: .rejected
        default: .retry
        }
    }

    private func ruleForConflict(_ answer: AnswerFacts) -> Rule {
        if answer.isReplay { return .accepted }
        if answer.isInProgress || answer.retryAfter != nil { return .retry }
        return acceptsRepeatedConflicts && answer.tries >= 2 ? .accepted : .conflict
    }

    private func verdict(_ rule: Rule, _ answer: AnswerFacts) -> Verdict {
        switch rule {
        case .accepted: .accepted
        case .retry: .retry(after: answer.retryAfter)
        case .wait: .wait(after: answer.retryAfter)
        case .pause: .pause
        case .rejected: .rejected
        case .conflict: .conflict
        }
    }
}
