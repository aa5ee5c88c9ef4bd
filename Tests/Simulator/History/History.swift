// History: runs histories; one seed determines one history.

internal import LarderStore

/// Plays histories. One seed is one history: what it decides in advance, and every random number on the way.
package enum History {
    /// How a history went.
    package struct Outcome: Sendable {
        /// The scenario that was played.
        package let scenario: Scenario
        /// The promise that was broken, if any.
        package let violation: Violation?
        /// The hash of everything that happened.
        package let hash: UInt64
        /// The steps of the client.
        package let steps: Int
        /// The virtual time that passed, in milliseconds.
        package let elapsed: Int64
        /// The last things that happened.
        package let lines: [String]
        /// The exchanges in which something went wrong.
        package let faulty: [String]
    }

    /// Plays a scenario on a new store in the directory `path`, which must not exist and is left behind.
    ///
    /// Blocks; nothing outside of `path` is touched.
    ///
    /// - Parameters:
    ///   - isVerified: whether the store is verified at the end.
    ///   - lines: how many of the last things that happen are kept.
    package static func run(
        _ scenario: Scenario, at path: String, isVerified: Bool = false, keeping lines: Int = 40
    ) -> Outcome {
        let simulator = Simulator(scenario, path: path, keeping: lines)
        var violation: Violation?
        do {
            try simulator.executor.catching {
                try simulator.run()
                if isVerified { try simulator.verify() }
                try simulator.releaseKilledProcess()
            }
            try simulator.checkKilledProcess()
        } catch let found as Violation {
            violation = found
        } catch {
            violation = Violation(.store, "\(error)")
        }
        if let violation { simulator.log("violation of \(violation)") }
        simulator.end()
        return Outcome(
            scenario: scenario, violation: violation, hash: simulator.trace.hash, steps: simulator.steps,
            elapsed: simulator.now, lines: simulator.trace.lines, faulty: simulator.faulty)
    }

    /// Makes a history that broke a promise shorter, as long as it breaks the same one: leaves out acts of the host and
    /// faults of the network.
    ///
    /// - Parameters:
    ///   - budget: how many histories may be played.
    ///   - replay: plays a scenario on a new store.
    package static func shrink(
        _ outcome: Outcome, budget: Int = 300, replay: (Scenario) -> Outcome
    ) -> Outcome {
        guard let promise = outcome.violation?.promise else { return outcome }
        let steps = outcome.scenario.plan.map(Part.act) + outcome.faulty.map(Part.fault)
        var best = outcome
        _ = Shrinker.shrink(steps, budget: budget) { parts in
            var scenario = outcome.scenario
            scenario.plan = []
            var faulty: Set<String> = []
            for part in parts {
                switch part {
                case .act(let planned): scenario.plan.append(planned)
                case .fault(let key): faulty.insert(key)
                }
            }
            scenario.faulty = faulty
            let shorter = replay(scenario)
            guard shorter.violation?.promise == promise else { return false }
            best = shorter
            return true
        }
        return best
    }

    /// What a shorter history leaves out.
    private enum Part {
        case act(PlannedAct)
        case fault(String)
    }
}

extension Simulator {
    /// Has the store look at itself.
    func verify() throws {
        guard let store else { return }
        var first: Finding?
        _ = try working { try store.verify { finding in first = first ?? finding } }
        if let first { throw Violation(.verification, first.description) }
    }

    /// Ends what still runs after a broken promise.
    func end() {
        executor.catching { try? releaseKilledProcess() }
    }
}
