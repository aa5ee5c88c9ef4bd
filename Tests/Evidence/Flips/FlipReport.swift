// FlipReport: the findings and the figures of a run.

import Glibc

/// The findings and the figures of a run.
enum FlipReport {
    /// Prints a finding, and keeps the file.
    static func report(_ check: FlipCheck, _ phase: FlipPhase, _ outcome: FlipOutcome) {
        let results = check.results
        results.findings += 1
        let places = check.bytes.indices.filter { check.bytes[$0] != check.base.data[$0] }
        let changes = places.prefix(4).map { "\($0): \(check.base.data[$0]) to \(check.bytes[$0])" }
        print(
            "finding: state \(results.state), \(phase), \(outcome), \(check.isClean ? "clean" : "unclean"),"
                + " read-only \(check.isReadOnly), verified \(results.isVerified), \(changes.joined(separator: ", "))")
        fflush(nil)
        if results.findings > 40 { return }
        let path = "\(check.kept)/flip-\(results.state)"
        try? check.base.write(check.bytes, to: path, isClean: check.isClean)
    }

    /// The figures of both kinds of files and of all checks, in one line.
    static func line(_ results: FlipResults, _ count: Int) -> String {
        func sum(_ outcome: FlipOutcome, _ phases: [FlipPhase] = FlipPhase.allCases) -> Int {
            phases.reduce(0) { $0 + results.total(true, $1, outcome) + results.total(false, $1, outcome) }
        }
        let parts = [
            "states=\(count)", "found=\(sum(.refused, [.verify]))", "sound=\(sum(.right, [.verify]))",
            "wrong=\(sum(.wrong))", "dead=\(sum(.dead))", "hung=\(sum(.hung))",
            "findings=\(results.findings)",
        ]
        return "flips: " + parts.joined(separator: " ")
    }
}
