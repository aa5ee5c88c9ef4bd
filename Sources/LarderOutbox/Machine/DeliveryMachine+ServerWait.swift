internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// How the server is left alone as a whole, and what its answers say of it rather than of one entry.
extension DeliveryMachine {
    /// Whether nothing is to be sent because the server asked for that.
    func isServerLeftAlone(_ moment: Moment) -> Bool { serverWait.map { $0 > moment.elapsed } ?? false }

    /// The requests that may be under way. After too many of them one shows whether the server takes more.
    var sendLimit: Int { throttles > 0 ? 1 : policy.concurrentSends }

    /// The wait that a server is granted.
    func granted(_ after: Duration?) -> Duration? { after.map { min(max($0, .zero), policy.longestRetryAfter) } }

    /// Notes what an answer says of the server.
    mutating func note(_ verdict: Verdict, _ head: AnswerHead, _ index: Int) {
        if !head.isThrottling { throttles = 0 }
        isIntercepted = head.isForeign || { if case .wait = verdict { true } else { false } }()
        switch verdict {
        case .accepted: refusedLanes = []
        case .rejected: refusedLanes.insert(entries[index].lane)
        case .retry, .wait, .pause, .conflict: break
        }
    }

    /// Sends nothing for as long as the server asks, or for longer each time if it does not say.
    mutating func leaveServerAlone(_ after: Duration?, _ moment: Moment) {
        // Requests that were under way together are refused together.
        if throttles == 0 || !isServerLeftAlone(moment) { throttles = throttles.incremented }
        let wait = granted(after) ?? delay(afterFailures: throttles)
        guard moment.elapsed + wait > serverWait ?? .zero else { return }
        serverWait = moment.elapsed + wait
        step.serverWait = .note(wait)
    }

    /// Takes back a send that was not begun, during a wait of the server that another sender noted.
    mutating func holdBack(_ index: Int, _ rest: Duration, _ moment: Moment) {
        restoreServerWait(rest, moment)
        update(index) {
            $0.state = .pending
            $0.dueAt = nil
        }
    }

    /// Adopts the rest of the stored wait, noted before a restart or by another sender.
    mutating func restoreServerWait(_ rest: Duration?, _ moment: Moment) {
        guard let rest = granted(rest), rest > .zero else { return }
        serverWait = max(serverWait ?? .zero, moment.elapsed + rest)
        throttles = max(throttles, 1)
    }

    /// Ends the server's wait: an entry is tried by hand.
    mutating func endServerWait(_ moment: Moment) {
        guard isServerLeftAlone(moment) else { return }
        serverWait = nil
        step.serverWait = .end
    }
}
