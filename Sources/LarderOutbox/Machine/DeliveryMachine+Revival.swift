internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Automatic revival of entries that failed because of the server. Its time is stored with them, so that a host that
// only runs for short times (`drain`) revives them as well.
extension DeliveryMachine {
    /// Whether an entry has failed because of the server's responses, and not because of what it is.
    func isServerFailure(_ index: Int) -> Bool {
        entries[index].delivery.state == .failed && entries[index].delivery.dueAt != nil
    }

    /// Schedules one more try of a failed entry after minutes, and then after longer, up to an hour.
    mutating func scheduleRevival(_ index: Int, _ after: Duration?, _ reading: ClockReading) {
        // Attempts are counted beyond the limit, so that they show how often the entry was revived.
        let rounds = entries[index].delivery.attempts - entries[index].mostAttempts + 1
        let wait = max(
            policy.revival.delay(afterFailures: max(rounds, 1), &random), cappedWait(after) ?? .zero)
        scheduleRevival(index, until: reading.elapsed + wait, reading)
    }

    private mutating func scheduleRevival(_ index: Int, until due: Duration, _ reading: ClockReading) {
        entries[index].due = due
        update(index) { $0.dueAt = reading.date(of: due) }
    }

    /// Tries entries that failed because of the server once more: when their time has come, and when the outbox starts.
    mutating func reviveDue(_ reading: ClockReading) {
        guard isOnline else { return }
        if isAtStart {
            isAtStart = false
            for index in entries.touched where isServerFailure(index) { tryOnce(index) }
        }
        for index in revivals() where entries[index].due.map({ $0 <= reading.elapsed }) ?? true { tryOnce(index) }
    }

    /// Revives failed entries after the server has accepted a write. An entry that failed again after a revival waits
    /// for minutes: it may be the one that the server cannot perform.
    mutating func reviveAfterAcceptance(_ reading: ClockReading) {
        let soon = reading.elapsed + policy.revival.first
        for index in entries.touched where isServerFailure(index) {
            if entries[index].delivery.attempts <= entries[index].mostAttempts {
                tryOnce(index)
            } else if entries[index].due.map({ $0 > soon }) ?? true {
                scheduleRevival(index, until: soon, reading)
            }
        }
    }

    /// Returns the entries that are revived automatically, as far as they may be sent.
    func revivals() -> [Int] {
        guard isOnline, !isStopping, case .signedIn = authentication else { return [] }
        return entries.touched.filter { isServerFailure($0) && authentication.allows(entries[$0].account) }
    }

    mutating func restoreRevival(_ index: Int, _ reading: ClockReading) {
        guard let dueAt = entries[index].delivery.dueAt else { return }
        // A wall clock that was moved back must not extend the wait.
        let wait = min(reading.wait(until: dueAt), max(policy.revival.limit, policy.longestRetryAfter))
        let whole = ClockReading(elapsed: .zero, now: dueAt).passed(since: entries[index].delivery.lastTriedAt ?? dueAt)
        entries[index].due = reading.elapsed + min(wait, whole)
    }

    /// Makes a failed entry pending. Its attempts stay used up: a response that requests another try delays it longer.
    private mutating func tryOnce(_ index: Int) {
        entries[index].due = nil
        entries[index].notBefore = nil
        update(index) {
            $0.state = .pending
            $0.dueAt = nil
        }
    }
}
