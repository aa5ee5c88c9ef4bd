internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// The time for which the server may have had an entry, independent of jumps of the wall clock.
extension DeliveryMachine {
    /// The smallest jump back of the wall clock that is noticed, in milliseconds; corrections of drift are smaller.
    private static let jump: Int64 = 1000

    /// Whether the server may have forgotten the key of an entry that it may have performed.
    func isForgotten(_ entry: LaneEntry, _ reading: ClockReading) -> Bool {
        guard entry.delivery.isInDoubt, let first = entry.delivery.firstTriedAt else { return false }
        // ``followClock(_:)`` keeps the stored time at most a second later than the monotonic clock says.
        return entry.firstTried == nil || reading.passed(since: first) >= policy.keyMemory
    }

    /// Moves the stored times of first tries along with a wall clock that was moved back. Otherwise a process that begins
    /// later would consider them younger than they are.
    mutating func followClock(_ reading: ClockReading) {
        for index in entries.touched {
            guard let first = entries[index].delivery.firstTriedAt, let firstTried = entries[index].firstTried else {
                continue
            }
            let age = (reading.elapsed - firstTried).milliseconds
            let dated = reading.now.subtractingReportingOverflow(age).partialValue
            guard first.subtractingReportingOverflow(dated).partialValue >= Self.jump else { continue }
            let dueAt = entries[index].due.map { reading.date(of: $0) }
            update(index) {
                $0.firstTriedAt = dated
                $0.lastTriedAt = $0.lastTriedAt.map { min($0, reading.now) }
                if $0.dueAt != nil { $0.dueAt = dueAt }
            }
        }
    }

    /// Restores the age of an entry's first try. An age that was known by the monotonic clock stays valid; of two ages
    /// the greater counts.
    mutating func restoreAge(_ index: Int, _ known: [UUIDBytes: Duration], _ reading: ClockReading) {
        entries[index].restoreAge(reading)
        guard let old = known[entries[index].id], entries[index].delivery.firstTriedAt != nil else { return }
        entries[index].firstTried = min(old, entries[index].firstTried ?? old)
    }

    /// Leaves entries in doubt to the host whose last try is dated far in the future: the wall clock was moved back
    /// since, and it is unknown whether the server remembers them.
    mutating func markUndatedUnresolved() {
        for index in entries.touched where entries[index].isLive && entries[index].delivery.state != .sending {
            let delivery = entries[index].delivery
            guard delivery.isInDoubt, delivery.firstTriedAt != nil, entries[index].firstTried == nil else { continue }
            markUnresolved(index)
        }
    }

    /// Leaves an entry to the host: it is unknown whether the server has it.
    mutating func markUnresolved(_ index: Int) {
        dissolveBatch(of: index)
        entries[index].due = nil
        update(index) {
            $0.state = .unresolved
            $0.dueAt = nil
        }
        report(.unresolved(entries[index].id))
    }
}

extension LaneEntry {
    /// The largest amount by which the wall clock may have been moved back while no process ran, for an age to be still
    /// known. It is half of the hour between the client's memory of a key and the server's
    /// (``OutboxPolicy/keyMemory``).
    static let clockTolerance = Duration.seconds(1800)

    /// Derives the age of the first try from the wall clock, unless that was moved back since by more than is tolerated.
    mutating func restoreAge(_ reading: ClockReading) {
        firstTried = nil
        guard let first = delivery.firstTriedAt else { return }
        let last = ClockReading(elapsed: .zero, now: max(first, delivery.lastTriedAt ?? first))
        if reading.now >= last.now { return firstTried = reading.elapsed - reading.passed(since: first) }
        guard last.passed(since: reading.now) <= Self.clockTolerance else { return }
        // The time since the last try is at most the amount by which the clock was moved back.
        firstTried = reading.elapsed - last.passed(since: first) - Self.clockTolerance
    }
}
