// Report: everything that one run has measured.

import Foundation

/// Everything that one run has measured: printed, and written as JSON.
struct Report: Codable, Sendable {
    var isQuick: Bool
    var seed: UInt64
    var machine: Machine
    var measurements: [Measurement]
    var verdicts: [Verdict]
    /// The lines of goals that this run did not measure.
    var unmeasured: [String]

    init(isQuick: Bool, machine: Machine, measurements: [Measurement]) {
        self.isQuick = isQuick
        seed = TranslationRows.seed
        self.machine = machine
        self.measurements = measurements
        (verdicts, unmeasured) = Goals.judge(measurements)
    }

    func print() {
        let kind = isQuick ? "quick" : "full"
        Swift.print("\(kind) run; seed \(seed); warm files; medians, and least to most of the rounds\n")
        Swift.print("machine: \(machine.processor)")
        Table.print(machine.figures)
        Table.print(measurements)
        Table.print(verdicts)
        let missed = verdicts.filter { !$0.isMet }
        Swift.print("\(verdicts.count - missed.count) goals met, \(missed.count) missed", terminator: "")
        Swift.print(unmeasured.isEmpty ? "" : ", \(unmeasured.count) lines not measured in this run")
        for verdict in missed { Swift.print("missed: \(verdict.title): \(verdict.words); goal \(verdict.goal)") }
    }

    func writeJSON(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path))
    }

    func writeChart(to path: String) throws {
        try Data(Chart.draw(verdicts).utf8).write(to: URL(filePath: path))
    }
}
