import ArgumentParser
import Foundation
import LarderSimulator
import LarderTesting

/// Plays simulated histories in this process, one after the other.
final class HistoryRunner {
    /// The interval of histories after which the store is verified at the end.
    private static let verifyEvery: UInt64 = 8
    /// The interval of histories after which one is played twice.
    private static let repeatEvery: UInt64 = 64

    private let baseDirectory: String
    private let directory: String
    private let shrink: Int
    private let isVerbose: Bool
    /// Whether another process reads the output and needs the seed of a trap.
    private let isWorker: Bool
    private var number = 0
    private var steps = 0
    private var historyCount = 0

    init(directory: String, shrink: Int, isVerbose: Bool, isWorker: Bool) {
        self.isWorker = isWorker
        self.directory = directory
        self.shrink = shrink
        self.isVerbose = isVerbose
        baseDirectory = "\(directory)/larder-simulate-\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Plays all seeds; with an end time it continues with further ones until then.
    func run(_ seeds: Range<UInt64>, until end: Date?) throws {
        let start = Date()
        defer { try? FileManager.default.removeItem(atPath: baseDirectory) }
        var seed = seeds.lowerBound
        while end.map({ Date() < $0 }) ?? (seed < seeds.upperBound) {
            if isWorker { printLine("@\(seed)") }
            try check(seed)
            seed += 1
        }
        let seconds = Date().timeIntervalSince(start)
        printLine(
            "\(historyCount) histories of \(steps / max(historyCount, 1)) steps on average in \(Int(seconds)) s, "
                + "\(Int(Double(historyCount) / max(seconds, 0.001))) histories and "
                + "\(Int(Double(steps) / max(seconds, 0.001))) steps a second, no invariant violated")
    }

    /// Plays one seed and prints its history.
    func run(only seed: UInt64) throws {
        defer { try? FileManager.default.removeItem(atPath: baseDirectory) }
        let outcome = runHistory(Scenario(seed: seed), isVerified: true, keeping: isVerbose ? 1_000_000 : 40)
        if isVerbose { for line in outcome.lines { printLine(line) } }
        try report(outcome)
        printLine(
            "seed \(seed): \(outcome.steps) steps, hash \(String(outcome.hash, radix: 16)), no invariant violated")
    }

    private func check(_ seed: UInt64) throws {
        let outcome = runHistory(Scenario(seed: seed), isVerified: seed % Self.verifyEvery == 0)
        historyCount += 1
        steps += outcome.steps
        try report(outcome)
        guard seed % Self.repeatEvery == 0 else { return }
        let repetition = runHistory(Scenario(seed: seed), isVerified: false)
        guard repetition.hash == outcome.hash else {
            printLine("seed \(seed) is not deterministic: its hashes differ between two runs")
            throw ExitCode(1)
        }
    }

    private func runHistory(_ scenario: Scenario, isVerified: Bool, keeping lines: Int = 40) -> History.Outcome {
        number += 1
        let path = "\(baseDirectory)/\(number)"
        try? FileManager.default.createDirectory(atPath: baseDirectory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return History.run(scenario, at: path, isVerified: isVerified, keeping: lines)
    }

    private func report(_ outcome: History.Outcome) throws {
        guard let violation = outcome.violation else { return }
        let seed = outcome.scenario.seed
        printLine("seed \(seed) violates an invariant: \(violation)")
        for line in outcome.lines { printLine("    \(line)") }
        printLine("again: larder-simulate --seed \(seed) --verbose")
        let shorter = History.shrink(outcome, budget: shrink) { runHistory($0, isVerified: true, keeping: 400) }
        printLine("shorter, \(shorter.scenario.plan.count) acts: \(shorter.violation.map { "\($0)" } ?? "")")
        for line in shorter.lines { printLine("    \(line)") }
        throw ExitCode(1)
    }

    private func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
