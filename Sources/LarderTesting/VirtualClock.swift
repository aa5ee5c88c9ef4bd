private import LarderStore
private import Synchronization

/// A clock that advances only when a test advances it: tests of hours end at once.
///
/// It has two times, as programs use them: a monotonic time for sleeps and limits, and a wall clock that a test may
/// set, also backwards. Advancing moves both.
public final class VirtualClock: Clock, Sendable {
    /// A point in time, as the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// The instant `offset` after the clock was made.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// Returns the instant `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the time from here to `other`.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether `left` comes before `right`.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        /// Milliseconds since 1970-01-01 UTC at the offset of zero.
        var wallStart: Int64
        var nextNumber = 0
        var cancelled: Set<Int> = []
        /// The sleepers in the order in which they wake: by deadline, then by the beginning of the sleep.
        var sleepers: [Sleeper] = []
        /// The tasks that wait for a number of sleepers.
        var watchers: [(count: Int, reached: DeferredValue<Void>)] = []
    }

    private let state: Mutex<State>

    /// A clock at zero.
    ///
    /// - Parameter wallMilliseconds: the time of the wall clock, in milliseconds since 1970-01-01 UTC.
    public init(wallMilliseconds: Int64 = 1_700_000_000_000) {
        state = Mutex(State(wallStart: wallMilliseconds))
    }

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: the clock distinguishes all durations.
    public var minimumResolution: Duration { .zero }

    /// The time of the wall clock, in milliseconds since 1970-01-01 UTC.
    public var wallMilliseconds: Int64 {
        state.withLock { $0.wallStart + $0.now.offset.milliseconds }
    }

    /// Sets the wall clock, forwards or backwards; sleepers are not affected.
    public func setWallClock(toMilliseconds milliseconds: Int64) {
        state.withLock { $0.wallStart = milliseconds - $0.now.offset.milliseconds }
    }
}

extension VirtualClock {
    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The instant at which the next sleeper wakes, if one sleeps.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.first?.deadline } }

    /// Sleeps until the clock has been advanced to `deadline`; returns at once if it has been already.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(number: number, deadline: deadline, continuation: continuation)
                park(sleeper)
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Moves the time forward and wakes all sleepers that are due, in the order of their deadlines.
    ///
    /// It does not wait until the tasks have run: where their order matters, use ``advanceToNextSleeper()`` and wait
    /// for the effect of the first of them.
    ///
    /// - Parameter duration: zero or more.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not go back by \(duration)")
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = Array(state.sleepers.prefix { $0.deadline <= now })
            state.sleepers.removeFirst(due.count)
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the time forward to the next deadline and wakes that one sleeper; returns false when there is none.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        let next = state.withLock { state -> Sleeper? in
            guard !state.sleepers.isEmpty else { return nil }
            let next = state.sleepers.removeFirst()
            state.now = max(state.now, next.deadline)
            return next
        }
        next?.continuation.resume()
        return next != nil
    }

    /// Waits until at least `count` tasks sleep at the same time, or the calling task is cancelled.
    ///
    /// A test calls it before it advances the clock, so that the tasks to wake are asleep.
    public func sleepers(atLeast count: Int) async {
        let reached = DeferredValue<Void>()
        state.withLock { state in
            if state.sleepers.count >= count { return reached.fulfil(()) }
            state.watchers.append((count, reached))
        }
        await reached.value()
        state.withLock { $0.watchers.removeAll { $0.reached === reached } }
    }

    private enum Parking {
        case parked, due, cancelled
    }

    private func park(_ sleeper: Sleeper) {
        let parking = state.withLock { state -> Parking in
            // The cancellation may have come before the continuation existed.
            if state.cancelled.remove(sleeper.number) != nil { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            let place = state.sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? state.sleepers.endIndex
            state.sleepers.insert(sleeper, at: place)
            for watcher in state.watchers where watcher.count <= state.sleepers.count { watcher.reached.fulfil(()) }
            return .parked
        }
        switch parking {
        case .parked: break
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ number: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let place = state.sleepers.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.sleepers.remove(at: place)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    fileprivate var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
