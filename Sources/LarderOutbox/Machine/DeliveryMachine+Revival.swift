internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// How entries come back that failed through the server's fault. When is stored with them, so that a host that only wakes for
// moments (`drain`) revives them as well.
extension DeliveryMachine {
    /// Whether an entry has failed because of what the server answered, and not for what it is.
    func isServersFault(_ index: Int) -> Bool {
        entries[index].delivery.state == .failed && entries[index].delivery.dueAt != nil
    }

    /// Has an entry that has failed tried once more after minutes, and then after longer, up to an hour.
    mutating func putOff(_ index: Int, _ after: Duration?, _ moment: Moment) {
        // Attempts are counted on beyond those allowed, so that they say how often it has come back.
        let rounds = entries[index].delivery.attempts - entries[index].mostAttempts + 1
        let wait = max(
            policy.revival.delay(afterFailures: max(rounds, 1), &chance), granted(after) ?? .zero)
        putOff(index, until: moment.elapsed + wait, moment)
    }

    private mutating func putOff(_ index: Int, until due: Duration, _ moment: Moment) {
        entries[index].due = due
        update(index) { $0.dueAt = moment.date(of: due) }
    }

    /// Tries what has failed through the server's fault once more: when its time has come, and when the outbox starts.
    mutating func reviveDue(_ moment: Moment) {
        guard isOnline else { return }
        if isAtStart {
            isAtStart = false
            for index in entries.indices where isServersFault(index) { tryOnce(index) }
        }
        for index in revivals() where entries[index].due.map({ $0 <= moment.elapsed }) ?? true { tryOnce(index) }
    }

    /// The server takes writes again. One that failed while it took others comes back after minutes, not at once: it may be the one
    /// that the server cannot perform.
    mutating func reviveAfterAcceptance(_ moment: Moment) {
        let soon = moment.elapsed + policy.revival.first
        for index in entries.indices where isServersFault(index) {
            if entries[index].delivery.attempts <= entries[index].mostAttempts {
                tryOnce(index)
            } else if entries[index].due.map({ $0 > soon }) ?? true {
                putOff(index, until: soon, moment)
            }
        }
    }

    /// The entries that come back by themselves, as far as they may be sent.
    func revivals() -> [Int] {
        guard isOnline, !isStopping, case .signedIn = gate else { return [] }
        return entries.indices.filter { isServersFault($0) && gate.admits(entries[$0].account) }
    }

    mutating func restoreRevival(_ index: Int, _ moment: Moment) {
        guard let dueAt = entries[index].delivery.dueAt else { return }
        // A clock that was set back must not keep it for longer than it was to wait.
        let wait = min(moment.wait(until: dueAt), max(policy.revival.limit, policy.longestRetryAfter))
        let whole = Moment(elapsed: .zero, now: dueAt).passed(since: entries[index].delivery.lastTriedAt ?? dueAt)
        entries[index].due = moment.elapsed + min(wait, whole)
    }

    /// Its attempts stay used up: an answer that asks for another try puts it off again, for longer.
    private mutating func tryOnce(_ index: Int) {
        entries[index].due = nil
        entries[index].notBefore = nil
        update(index) {
            $0.state = .pending
            $0.dueAt = nil
        }
    }
}
