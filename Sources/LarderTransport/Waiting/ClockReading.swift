/// One time, read from both clocks.
package struct ClockReading: Hashable, Sendable {
    /// The monotonic time, for waits.
    package var elapsed: Duration
    /// Milliseconds since 1970-01-01 UTC, for ages that outlive the process. This clock may jump.
    package var now: Int64

    /// Creates a clock reading.
    package init(elapsed: Duration, now: Int64) {
        self.elapsed = elapsed
        self.now = now
    }

    /// Returns the time since `time` on the wall clock; zero for a time in the future.
    package func passed(since time: Int64) -> Duration {
        let (age, isTooLong) = now.subtractingReportingOverflow(time)
        if isTooLong { return now > time ? .milliseconds(Int64.max) : .zero }
        return .milliseconds(max(0, age))
    }

    /// Returns the time until `time` on the wall clock; zero for a time that has passed.
    package func wait(until time: Int64) -> Duration { ClockReading(elapsed: .zero, now: time).passed(since: now) }

    /// Returns the wall clock's time at the monotonic `time`, if the wall clock does not jump.
    package func date(of time: Duration) -> Int64 {
        now.addingReportingOverflow((time - elapsed).milliseconds).partialValue
    }
}
