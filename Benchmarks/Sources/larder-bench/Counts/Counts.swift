// Counts: the work of an operation on a hot path, as numbers that do not depend on the speed of the machine.

/// The work of an operation on a hot path, as numbers that do not depend on the speed of the machine.
struct Counts: Codable, Sendable {
    /// One kind of work.
    enum Kind: String, CaseIterable, Codable, CodingKeyRepresentable {
        case instructions
        case allocations
        /// Calls that place a cursor of LMDB or look up a key.
        case lookups
        /// Pages of 4 KiB that were handed to write calls.
        case pages
        case commits
    }

    /// The part by which a value may grow.
    static let tolerance = 0.05

    /// The values, by the name of the path.
    var paths: [String: [Kind: Double]] = [:]

    /// The lines of a comparison with recorded values, and the number of those that grew too much.
    func compare(with recorded: Counts) -> (lines: [String], failures: Int) {
        var lines: [String] = []
        var failures = 0
        for name in Set(paths.keys).union(recorded.paths.keys).sorted() {
            let (kinds, recordedKinds) = (paths[name] ?? [:], recorded.paths[name] ?? [:])
            for kind in Kind.allCases where kinds[kind] != nil || recordedKinds[kind] != nil {
                guard let value = kinds[kind], let earlier = recordedKinds[kind] else {
                    failures += 1
                    lines.append("FAILED  \(name), \(kind): not \(kinds[kind] == nil ? "measured" : "recorded")")
                    continue
                }
                let hasGrown = value > earlier * (1 + Self.tolerance) + kind.slack
                let hasShrunk = value < earlier * (1 - Self.tolerance) - kind.slack
                if hasGrown { failures += 1 }
                let mark = hasGrown ? "FAILED" : hasShrunk ? "shrunk" : "ok    "
                lines.append("\(mark)  \(name), \(kind): \(Table.text(value)), recorded \(Table.text(earlier))")
            }
        }
        return (lines, failures)
    }
}

extension Counts.Kind {
    /// The growth of a small value that is none, per operation: a background task may fall into a count.
    fileprivate var slack: Double { self == .instructions ? 5 : 0.1 }
}
