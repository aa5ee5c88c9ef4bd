// UploadFixture: an upload machine over a ring in memory, with a clock that is advanced by hand.

import LarderFormat
import LarderStore
import LarderTransport
import Testing

@testable import LarderOutbox

/// An upload machine on a ring in memory, with a clock that stands still.
struct UploadFixture {
    var machine: UploadMachine
    var reading = ClockReading(elapsed: .seconds(100), now: 1_000_000)
    /// The points that lie in the ring.
    var points: [Int64] = []
    var stored = BufferUpload()
    var nextSequence: Int64 = 1
    var refused: [Int64] = []
    private var nextKey: UInt64 = 1
    private let policy: BufferPolicy

    init(
        account: String? = "ada", gate: AuthenticationState = .signedIn("ada"), outcomes: OutcomeTable = .standard,
        jitter: Double = 0, longestRetryAfter: Duration? = nil
    ) {
        var policy = BufferPolicy.locations
        policy.retry = RetryPolicy(first: .seconds(1), limit: .seconds(60), jitter: jitter)
        policy.outcomes = outcomes
        if let longestRetryAfter { policy.longestRetryAfter = longestRetryAfter }
        self.policy = policy
        machine = UploadMachine(policy: policy, account: account, authentication: gate, seed: 1)
    }

    /// Steps the machine, stores its change, and reads the ring again as the shell does.
    mutating func step(_ event: UploadEvent) -> [UploadEffect] {
        let step = handle(event)
        guard let change = step.change else { return step.effects }
        switch change {
        case .update(let old, let new):
            #expect(old == stored)
            stored = new
        case .acknowledge(let old, let new, let isRefused):
            #expect(old == stored)
            let gone = old.batch.map { flight in points.filter(flight.sequences.contains) } ?? []
            #expect(!gone.isEmpty)
            points.removeAll { gone.contains($0) }
            if isRefused { refused += gone }
            stored = new
        }
        return step.effects + self.step(ring)
    }

    /// Steps the machine without storing anything.
    mutating func handle(_ event: UploadEvent) -> UploadStep {
        nextKey += 1
        return machine.step(event, at: reading, freshKey: UUIDBytes(high: 9, low: nextKey))
    }

    /// How the ring lies.
    var ring: UploadEvent { .ring(stored, oldest: Array(points.prefix(policy.mostPoints))) }

    mutating func append(_ count: Int) -> [UploadEffect] {
        for _ in 0..<count {
            points.append(nextSequence)
            nextSequence += 1
        }
        return step(ring)
    }

    /// A machine that has just been loaded, as after a crash.
    mutating func restart(
        gate: AuthenticationState = .signedIn("ada"), serverWait: Duration? = nil
    ) -> [UploadEffect] {
        machine = UploadMachine(policy: policy, account: machine.account, authentication: gate, seed: 2)
        return step(.ring(stored, oldest: Array(points.prefix(policy.mostPoints)), serverWait: serverWait))
    }

    mutating func advanceClock(_ duration: Duration) {
        reading.elapsed += duration
        reading.now += duration.milliseconds
    }

    /// The points of the flight that is stored.
    var flying: [Int64] { stored.batch.map { flight in points.filter(flight.sequences.contains) } ?? [] }
}

extension [UploadEffect] {
    /// The flights that are sent.
    var sent: [BufferUpload.Batch] { compactMap { if case .send(let batch) = $0 { batch } else { nil } } }
    /// The last time that a timer is set to.
    var armed: Duration? {
        reduce(nil) { time, effect in
            if case .arm(let other) = effect { other } else { time }
        }
    }
}
