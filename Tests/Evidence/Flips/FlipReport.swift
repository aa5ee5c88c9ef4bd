// FlipReport: which outcomes are findings.

import Glibc

/// Which outcomes are findings.
enum FlipReport {
    /// A read after a clean close trusts the pages: its wrong answers and deaths are counted, and are no findings.
    static func isKnown(_ check: FlipCheck, _ phase: FlipPhase) -> Bool {
        check.isClean && (phase == .get || phase == .list || phase == .dump)
    }

    /// Prints a finding.
    static func note(
        _ check: FlipCheck, _ phase: FlipPhase, _ outcome: FlipOutcome
    ) {
        let results = check.results
        let isSilent = outcome == .wrong && results.isVerified
        if isKnown(check, phase) && !isSilent && !(outcome == .wrong && phase == .dump) { return }
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

    static func line(_ results: FlipResults, _ count: Int) -> String {
        func sum(_ outcome: FlipOutcome, _ clean: [Bool], _ phases: [FlipPhase]) -> Int {
            clean.reduce(0) { sum, isClean in
                sum + phases.reduce(0) { $0 + results.total(isClean, $1, outcome) }
            }
        }
        let reads: [FlipPhase] = [.get, .list, .dump]
        return "flips: states=\(count)"
            + " found=\(sum(.refused, [true, false], [.verify])) sound=\(sum(.right, [true, false], [.verify]))"
            + " unclean-read-absent=\(sum(.absent, [false], reads)) wrong=\(sum(.wrong, [false], FlipPhase.allCases) + sum(.wrong, [true], [.verify, .sync, .write]))"
            + " dead=\(sum(.dead, [false], FlipPhase.allCases) + sum(.dead, [true], [.verify, .sync, .write]))"
            + " hung=\(sum(.hung, [true, false], FlipPhase.allCases))"
            + " clean-read-absent=\(sum(.absent, [true], reads))"
            + " clean-read-wrong=\(sum(.wrong, [true], reads)) clean-read-dead=\(sum(.dead, [true], reads))"
            + " findings=\(results.findings)"
    }
}
