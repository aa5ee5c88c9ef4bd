internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Waits of the whole server, and what its responses say about it rather than about one entry.
extension DeliveryMachine {
    /// Whether nothing is sent because the server requested that.
    func isInServerWait(_ reading: ClockReading) -> Bool { serverWait.map { $0 > reading.elapsed } ?? false }

    /// Returns until when nothing is sent to the server: it requested that, or it refused writes about too many things
    /// in a row.
    func serverPauseEnd(_ reading: ClockReading) -> Duration? {
        [serverWait, refusalWait].compactMap { $0 }.filter { $0 > reading.elapsed }.max()
    }

    /// The number of requests that may be under way. After a pause, one request shows whether the server accepts more.
    var sendLimit: Int { throttles > 0 || isRefusing ? 1 : policy.concurrentSends }

    /// Whether the server refused writes in so many lanes, accepting none between them, that hardly all can be wrong.
    var isRefusing: Bool { refusedLanes.count >= Self.refusalThreshold }

    private static let refusalThreshold = 3

    /// Returns the wait that a server is granted.
    func cappedWait(_ after: Duration?) -> Duration? { after.map { min(max($0, .zero), policy.longestRetryAfter) } }

    /// Records what a response says about the server.
    mutating func recordServerState(_ verdict: Verdict, _ head: ResponseSummary, _ index: Int, _ reading: ClockReading)
    {
        if !head.isThrottling { throttles = 0 }
        isIntercepted = head.isForeign || { if case .wait = verdict { true } else { false } }()
        switch verdict {
        case .accepted: endRefusals()
        case .rejected: recordRefusal(of: entries[index].lane, reading)
        case .retry, .wait, .pause, .conflict: break
        }
    }

    /// Pauses for minutes after refusals in several lanes, for longer with each one more, up to an hour.
    private mutating func recordRefusal(of lane: String, _ reading: ClockReading) {
        refusedLanes.insert(lane)
        guard isRefusing else { return }
        let rounds = refusedLanes.count - Self.refusalThreshold + 1
        refusalWait = reading.elapsed + policy.revival.delay(afterFailures: rounds, &random)
    }

    /// Ends the pause: the server has accepted a write, or answered a batch member by member, as only the API does.
    mutating func endRefusals() { (refusedLanes, refusalWait) = ([], nil) }

    /// Sends nothing for as long as the server requests, or for longer each time if it states no time.
    mutating func beginServerWait(_ after: Duration?, _ reading: ClockReading) {
        // Requests that were under way together are refused together.
        if throttles == 0 || !isInServerWait(reading) { throttles = throttles.incremented }
        let wait = cappedWait(after) ?? delay(afterFailures: throttles)
        // Stored even if the lengthened wait in memory ends later: after a restart only the stored one is known.
        step.requestServerWait(wait)
        let resumption = reading.elapsed + (after == nil ? wait : policy.retry.lengthened(wait, &random))
        serverWait = max(serverWait ?? .zero, resumption)
    }

    /// Makes an entry pending again whose send did not begin, because of a server's wait that another sender recorded.
    mutating func deferSend(_ index: Int, _ rest: Duration, _ reading: ClockReading) {
        restoreServerWait(rest, reading)
        update(index) {
            $0.state = .pending
            $0.dueAt = nil
        }
    }

    /// Adopts the rest of the stored wait, recorded before a restart or by another sender.
    mutating func restoreServerWait(_ rest: Duration?, _ reading: ClockReading) {
        guard let rest = cappedWait(rest), rest > .zero else { return }
        serverWait = max(serverWait ?? .zero, reading.elapsed + policy.retry.lengthened(rest, &random))
        throttles = max(throttles, 1)
    }

    /// Ends the server's wait, because the app retries an entry.
    mutating func endServerWait(_ reading: ClockReading) {
        guard isInServerWait(reading) else { return }
        serverWait = nil
        step.serverWait = .end
    }
}
