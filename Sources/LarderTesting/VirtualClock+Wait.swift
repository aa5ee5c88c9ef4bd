/// The error of a wait that reached its limit.
public struct WaitExpired: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the test waited for.
    public let what: String
    /// The virtual time that passed.
    public let waited: Duration

    /// What the test waited for, and for how long.
    public var description: String { "waited \(waited.components.seconds) s of virtual time for \(what), in vain" }
}

extension VirtualClock {
    /// Lets virtual time pass until a condition holds: sleeping tasks are woken one by one, in the order of their
    /// deadlines, after 20 ms of real time each, in which other work may change the condition.
    ///
    /// ```swift
    /// try await clock.wait(for: "the note to be sent") { !notes.isPending(note) }
    /// ```
    ///
    /// - Parameters:
    ///   - what: What is waited for, for the message of the error.
    ///   - limit: The most virtual time to let pass.
    ///   - condition: Checked again and again; must be quick.
    /// - Throws: ``WaitExpired`` when nothing that sleeps within the limit is left, and the condition does not come to
    ///   hold in ten seconds of real time; `CancellationError`; the error of the condition.
    public func wait(
        for what: String, upTo limit: Duration = .seconds(3600), _ condition: () async throws -> Bool
    ) async throws {
        let start = now
        var quiet = 0
        while try await !condition() {
            // Tasks that are not asleep run in real time.
            try await Task.sleep(for: .milliseconds(1))
            quiet += 1
            if quiet < 20 { continue }
            guard let next = nextDeadline, start.duration(to: next) <= limit else {
                if quiet < 10_000 { continue }
                throw WaitExpired(what: what, waited: start.duration(to: now))
            }
            advanceToNextSleeper()
            quiet = 0
        }
    }
}
