/// One moment by both clocks.
package struct Moment: Hashable, Sendable {
    /// Time that never jumps, for waits.
    package var elapsed: Duration
    /// Milliseconds since 1970-01-01 UTC, for ages that outlive the process. May jump.
    package var now: Int64

    /// A moment.
    package init(elapsed: Duration, now: Int64) {
        self.elapsed = elapsed
        self.now = now
    }

    /// How long a time of the clock that may jump is ago; zero for one that lies in the future.
    package func passed(since time: Int64) -> Duration {
        let (age, isTooLong) = now.subtractingReportingOverflow(time)
        if isTooLong { return now > time ? .milliseconds(Int64.max) : .zero }
        return .milliseconds(max(0, age))
    }

    /// How far a time of the clock that may jump lies ahead; zero for one that has passed.
    package func wait(until time: Int64) -> Duration { Moment(elapsed: .zero, now: time).passed(since: now) }

    /// A time that never jumps by the clock that may: what that one will say then, if it does not jump.
    package func date(of time: Duration) -> Int64 {
        now.addingReportingOverflow((time - elapsed).milliseconds).partialValue
    }
}
