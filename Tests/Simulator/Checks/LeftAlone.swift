internal import LarderFormat

/// Until when a server wants to be left alone, in milliseconds of virtual time, as far as the client has heard of it.
struct LeftAlone {
    private var heard: Int64 = 0
    private(set) var until: Int64 = 0

    /// The client has the answer that says so.
    mutating func hear(_ seconds: Int64, at now: Int64) { heard = max(heard, now + seconds * 1_000) }

    /// All that the client has heard is stored.
    mutating func isStored() {
        until = max(until, heard)
        heard = 0
    }

    /// What was heard may not have been stored.
    mutating func isLost() { heard = 0 }

    /// Somebody asks for a try, or has set the clock: what was stored counts for nothing.
    mutating func isOver() { self = LeftAlone() }
}

extension Simulator {
    /// Nothing is sent while the server wants to be left alone.
    func checkLeftAlone(_ side: Agenda.Side, _ what: @autoclosure () -> String) throws {
        guard let until = leftAlone[side]?.until, now < until else { return }
        throw Violation(.conditions, "\(what()) is sent, and the server wants to be left alone for \(until - now) ms")
    }

    /// Notes that the client has heard, to the end, that a server wants to be left alone.
    func hear(_ side: Agenda.Side, status: Int?, retryAfter: String?) {
        // What a process that dies hears of last is gone with it.
        guard process != nil, status == 429 || status == 503, let seconds = retryAfter.flatMap({ Int64($0) }) else {
            return
        }
        leftAlone[side, default: LeftAlone()].hear(seconds, at: now)
    }

    /// Notes for both sides what became of what was heard.
    func noteWaits(_ note: (inout LeftAlone) -> Void) {
        for side in [Agenda.Side.sync, .outbox] { note(&leftAlone[side, default: LeftAlone()]) }
    }
}
