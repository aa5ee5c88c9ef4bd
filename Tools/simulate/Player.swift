import ArgumentParser
import Foundation
import LarderSimulator
import LarderTesting

/// Plays simulated histories in this process, one after the other.
final class Player {
    /// The interval of histories after which the store is verified at the end.
    private static let verifyEvery: UInt64 = 8
    /// The interval of histories after which one is played twice.
    private static let repeatEvery: UInt64 = 64

    private let home: String
    private let directory: String
    private let shrink: Int
    private let isVerbose: Bool
    /// Whether another process reads the output and needs the seed of a trap.
    private let isWorker: Bool
    private var number = 0
    private var steps = 0
    private var played = 0

    init(directory: String, shrink: Int, isVerbose: Bool, isWorker: Bool) {
        self.isWorker = isWorker
        self.directory = directory
        self.shrink = shrink
        self.isVerbose = isVerbose
        home = "\(directory)/larder-simulate-\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Plays all seeds; with an end time it continues with further ones until then.
    func play(_ seeds: Range<UInt64>, until end: Date?) throws {
        let start = Date()
        defer { try? FileManager.default.removeItem(atPath: home) }
        var seed = seeds.lowerBound
        while end.map({ Date() < $0 }) ?? (seed < seeds.upperBound) {
            if isWorker { tell("@\(seed)") }
            try check(seed)
            seed += 1
        }
        let seconds = Date().timeIntervalSince(start)
        tell(
            "\(played) histories of \(steps / max(played, 1)) steps on average in \(Int(seconds)) s, "
                + "\(Int(Double(played) / max(seconds, 0.001))) histories and "
                + "\(Int(Double(steps) / max(seconds, 0.001))) steps a second, no promise broken")
    }

    /// Plays one seed and prints its history.
    func play(only seed: UInt64) throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let outcome = history(Scenario(seed: seed), isVerified: true, keeping: isVerbose ? 1_000_000 : 40)
        if isVerbose { for line in outcome.lines { tell(line) } }
        try report(outcome)
        tell("seed \(seed): \(outcome.steps) steps, hash \(String(outcome.hash, radix: 16)), no promise broken")
    }

    private func check(_ seed: UInt64) throws {
        let outcome = history(Scenario(seed: seed), isVerified: seed % Self.verifyEvery == 0)
        played += 1
        steps += outcome.steps
        try report(outcome)
        guard seed % Self.repeatEvery == 0 else { return }
        let again = history(Scenario(seed: seed), isVerified: false)
        guard again.hash == outcome.hash else {
            tell("seed \(seed) is not one history: played twice, its hashes differ")
            throw ExitCode(1)
        }
    }

    private func history(_ scenario: Scenario, isVerified: Bool, keeping lines: Int = 40) -> History.Outcome {
        number += 1
        let path = "\(home)/\(number)"
        try? FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return History.play(scenario, at: path, isVerified: isVerified, keeping: lines)
    }

    private func report(_ outcome: History.Outcome) throws {
        guard let violation = outcome.violation else { return }
        let seed = outcome.scenario.seed
        tell("seed \(seed) breaks a promise: \(violation)")
        for line in outcome.lines { tell("    \(line)") }
        tell("again: larder-simulate --seed \(seed) --verbose")
        let shorter = History.shrink(outcome, budget: shrink) { history($0, isVerified: true, keeping: 400) }
        tell("shorter, \(shorter.scenario.plan.count) acts: \(shorter.violation.map { "\($0)" } ?? "")")
        for line in shorter.lines { tell("    \(line)") }
        throw ExitCode(1)
    }

    private func tell(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
