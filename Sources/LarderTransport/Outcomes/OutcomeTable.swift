/// The meaning of each status; a server that differs needs overrides for single statuses only.
///
/// docs/internals/outbox.md, "Outcomes". A missing response has no status: it is always retried.
public struct OutcomeTable: Hashable, Sendable {
    /// The meaning of a status, without the wait.
    public enum Rule: Hashable, Sendable {
        /// The server has the write.
        case accepted
        /// Try again; the response's Retry-After is honoured.
        case retry
        /// Something other than the server responded: try again, without counting an attempt.
        case wait
        /// Wait until the account is signed in.
        case pause
        /// The server refused the write.
        case rejected
        /// The server has a conflicting value.
        case conflict
    }

    private var overrides: [Int: Rule] = [:]
    /// Whether 409 to the second or a later send means that an earlier one was performed.
    private var acceptsRepeatedConflicts = false

    /// The table without overrides: the rules of HTTP and of idempotency keys.
    public static let standard = OutcomeTable()

    /// The table for servers that respond to a known key with 409 and the stored response, without a mark.
    ///
    /// A 409 to the first send is a conflict all the same: nothing was performed under the key before.
    public static let replaysAsConflict: OutcomeTable = {
        var table = OutcomeTable()
        table.acceptsRepeatedConflicts = true
        return table
    }()

    /// The table for conditional writes (If-Match): 412, a failed condition, is a conflict.
    public static let conditional = standard.on(412, .conflict)

    /// Returns this table with another rule for one status, 100 to 599, for all methods.
    public func on(_ status: Int, _ rule: Rule) -> OutcomeTable {
        precondition((100...599).contains(status), "\(status) is no status")
        var table = self
        table.overrides[status] = rule
        return table
    }

    /// Returns the verdict for a response.
    ///
    /// A response that is not the API's (``ResponseFacts/isForeign``) or broke off (``ResponseFacts/isComplete``) is neither
    /// success nor a refusal, whatever the overrides are.
    public func verdict(for answer: ResponseFacts) -> Verdict {
        if answer.isForeign || answer.status == 511 { return verdict(foreignRule(answer.status), answer) }
        let rule = overrides[answer.status] ?? rule(for: answer)
        // The missing part may have been a page, or may have contained more.
        if !answer.isComplete, [.accepted, .rejected, .conflict].contains(rule) { return .retry(after: nil) }
        return verdict(rule, answer)
    }

    /// The statuses about the connection, which do not concern the write: of a proxy (407), a misdirected request
    /// (421), a protocol (426) and a network (511).
    package static let connectionStatuses: Set<Int> = [407, 421, 426, 511]

    /// Returns the rule for a response that is not the API's.
    ///
    /// A sign-in page, a proxy's page or a redirect may last for days, and counts as no attempt. A page under an error
    /// status may be the server's own, for a path it does not know. It counts as an attempt, so that such a write ends
    /// as failed and does not block its lane for ever; nothing is rolled back.
    private func foreignRule(_ status: Int) -> Rule {
        switch status {
        case 401: .pause
        case 200...399: .wait
        default: Self.connectionStatuses.contains(status) ? .wait : .retry
        }
    }

    /// Returns the standard rule. A status unknown to HTTP counts as 5xx (RFC 9110 §15), and so does one that is not
    /// final: neither is a refusal.
    private func rule(for answer: ResponseFacts) -> Rule {
        switch answer.status {
        case 200...299: .accepted
        case 401: .pause
        case 404 where answer.method == "DELETE": .accepted
        case 410 where answer.method == "DELETE": .accepted
        case _ where Self.connectionStatuses.contains(answer.status): .wait
        case 300...399: .wait
        case 408, 425, 429: .retry
        case 409: conflictRule(answer)
        case 400...499: .rejected
        default: .retry
        }
    }

    private func conflictRule(_ answer: ResponseFacts) -> Rule {
        if answer.isReplay { return .accepted }
        if answer.isInProgress || answer.retryAfter != nil { return .retry }
        return acceptsRepeatedConflicts && answer.tries >= 2 ? .accepted : .conflict
    }

    private func verdict(_ rule: Rule, _ answer: ResponseFacts) -> Verdict {
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
