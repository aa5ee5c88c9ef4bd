// RequestedWait: until when the server has requested a wait, in virtual milliseconds, as far as the client knows.

internal import LarderFormat

/// Until when a server wants to be left alone, in milliseconds of virtual time, as far as the client has heard of it.
struct RequestedWait {
    private var latestEnd: Int64 = 0
    private(set) var until: Int64 = 0

    /// The client has the answer that says so.
    mutating func extend(bySeconds seconds: Int64, at now: Int64) { latestEnd = max(latestEnd, now + seconds * 1_000) }

    /// All that the client has heard is stored.
    mutating func markStored() {
        until = max(until, latestEnd)
        latestEnd = 0
    }

    /// What was heard may not have been stored.
    mutating func discard() { latestEnd = 0 }

    /// Somebody asks for a try, or has set the clock: what was stored counts for nothing.
    mutating func reset() { self = RequestedWait() }
}

extension Simulator {
    /// Nothing is sent while the server wants to be left alone.
    func checkRequestedWait(_ side: EventQueue.Side, _ what: @autoclosure () -> String) throws {
        guard let until = leftAlone[side]?.until, now < until else { return }
        throw Violation(
            .conditions, "\(what()) is sent, although the server requested a wait of another \(until - now) ms")
    }

    /// Notes that the client has heard, to the end, that a server wants to be left alone.
    func observe(_ side: EventQueue.Side, status: Int?, retryAfter: String?) {
        // What a process that dies hears of last is gone with it.
        guard process != nil, status == 429 || status == 503, let seconds = retryAfter.flatMap({ Int64($0) }) else {
            return
        }
        leftAlone[side, default: RequestedWait()].extend(bySeconds: seconds, at: now)
    }

    /// Notes for both sides what became of what was heard.
    func updateWaits(_ note: (inout RequestedWait) -> Void) {
        for side in [EventQueue.Side.sync, .outbox] { note(&leftAlone[side, default: RequestedWait()]) }
    }
}
