internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Waits of the whole server, and what its responses say about it rather than about one entry.
extension DeliveryMachine {
    /// Whether nothing is sent because the server requested that.
    func isServerLeftAlone(_ moment: Moment) -> Bool { serverWait.map { $0 > moment.elapsed } ?? false }

    /// Returns until when nothing is sent to the server: it requested that, or it refused writes about too many things
    /// in a row.
    func pauseOfServer(_ moment: Moment) -> Duration? {
        [serverWait, refusalWait].compactMap { $0 }.filter { $0 > moment.elapsed }.max()
    }

    /// The number of requests that may be under way. After a pause, one request shows whether the server accepts more.
    var sendLimit: Int { throttles > 0 || isRefusing ? 1 : policy.concurrentSends }

    /// Whether the server refused writes in so many lanes, accepting none between them, that hardly all can be wrong.
    var isRefusing: Bool { refusedLanes.count >= Self.mostRefusals }

    private static let mostRefusals = 3

    /// Returns the wait that a server is granted.
    func granted(_ after: Duration?) -> Duration? { after.map { min(max($0, .zero), policy.longestRetryAfter) } }

    /// Records what a response says about the server.
    mutating func note(_ verdict: Verdict, _ head: AnswerHead, _ index: Int, _ moment: Moment) {
        if !head.isThrottling { throttles = 0 }
        isIntercepted = head.isForeign || { if case .wait = verdict { true } else { false } }()
        switch verdict {
        case .accepted: endRefusals()
        case .rejected: noteRefusal(of: entries[index].lane, moment)
        case .retry, .wait, .pause, .conflict: break
        }
    }

    /// Pauses for minutes after refusals in several lanes, for longer with each one more, up to an hour.
    private mutating func noteRefusal(of lane: String, _ moment: Moment) {
        refusedLanes.insert(lane)
        guard isRefusing else { return }
        let rounds = refusedLanes.count - Self.mostRefusals + 1
        refusalWait = moment.elapsed + policy.revival.delay(afterFailures: rounds, &chance)
    }

    /// Ends the pause: the server has accepted a write, or answered a batch member by member, as only the API does.
    mutating func endRefusals() { (refusedLanes, refusalWait) = ([], nil) }

    /// Sends nothing for as long as the server requests, or for longer each time if it states no time.
    mutating func leaveServerAlone(_ after: Duration?, _ moment: Moment) {
        // Requests that were under way together are refused together.
        if throttles == 0 || !isServerLeftAlone(moment) { throttles = throttles.incremented }
        let wait = granted(after) ?? delay(afterFailures: throttles)
        guard moment.elapsed + wait > serverWait ?? .zero else { return }
        serverWait = moment.elapsed + wait
        step.serverWait = .note(wait)
    }

    /// Makes an entry pending again whose send did not begin, because of a server's wait that another sender recorded.
    mutating func holdBack(_ index: Int, _ rest: Duration, _ moment: Moment) {
        restoreServerWait(rest, moment)
        update(index) {
            $0.state = .pending
            $0.dueAt = nil
        }
    }

    /// Adopts the rest of the stored wait, recorded before a restart or by another sender.
    mutating func restoreServerWait(_ rest: Duration?, _ moment: Moment) {
        guard let rest = granted(rest), rest > .zero else { return }
        serverWait = max(serverWait ?? .zero, moment.elapsed + rest)
        throttles = max(throttles, 1)
    }

    /// Ends the server's wait, because the app retries an entry.
    mutating func endServerWait(_ moment: Moment) {
        guard isServerLeftAlone(moment) else { return }
        serverWait = nil
        step.serverWait = .end
    }
}
