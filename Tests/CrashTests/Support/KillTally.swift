// KillTally: counts which phases the kills interrupted.

import CrashWorld

/// What kills hit.
struct KillTally: Sendable {
    var phases: [Acknowledgement.Phase: Int] = [:]
    /// Files in which an unfinished snapshot was found.
    var stagingLeft = 0
    /// Files in which garbage was found.
    var garbageLeft = 0
    var swaps = 0
    var entries = 0
    var stores = 0

    var kills: Int { phases.values.reduce(0, +) }

    /// Kills inside of a staging or a swap.
    var insideCopies: Int { phases[.staging, default: 0] + phases[.swap, default: 0] }

    static func + (left: KillTally, right: KillTally) -> KillTally {
        KillTally(
            phases: left.phases.merging(right.phases, uniquingKeysWith: +),
            stagingLeft: left.stagingLeft + right.stagingLeft, garbageLeft: left.garbageLeft + right.garbageLeft,
            swaps: left.swaps + right.swaps, entries: left.entries + right.entries, stores: left.stores + right.stores)
    }

    func table(_ time: Duration) -> String {
        var lines = ["kills inside of      "]
        for phase in Acknowledgement.Phase.allCases {
            lines.append("  \(phase.rawValue): \(phases[phase, default: 0])")
        }
        lines.append("kills in all: \(kills), of \(stores) stores, in \(time)")
        lines.append("files with an unfinished snapshot: \(stagingLeft), with garbage: \(garbageLeft)")
        lines.append("swaps acknowledged: \(swaps), entries made: \(entries)")
        return lines.joined(separator: "\n")
    }
}
