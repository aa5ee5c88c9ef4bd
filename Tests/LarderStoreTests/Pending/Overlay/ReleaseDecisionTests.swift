// Proves that the decision to keep, discard or materialize a confirmed overlay matches a table of all situations.

import LarderFormat
import LarderStore
import Testing

/// One situation in which a confirmed overlay is looked at, by the words of the table.
private struct Situation {
    let owner: String
    let state: String
    let appliedSequence: String
    let sequence: String
    let occasion: String

    static let owners = ["filter", "other", "former", "awaited", "removed", "nobody", "walk"]
    static let states = ["ready", "hidden", "evicted", "empty"]
    static let appliedSequences = ["below", "reached", "older", "newer"]
    static let sequences = ["reported", "none"]
    static let occasions =
        ["change", "removal", "pass before", "pass after"]
        + ["run", "new run"].flatMap { run in
            ["before", "after"].flatMap { begin in ["short", "long"].map { "\(run) \(begin) \($0)" } }
        }

    /// Every combination.
    static let all = owners.flatMap { owner in
        states.flatMap { state in
            appliedSequences.flatMap { applied in
                sequences.flatMap { sequence in
                    occasions.map { occasion in
                        Situation(
                            owner: owner, state: state, appliedSequence: applied, sequence: sequence,
                            occasion: occasion)
                    }
                }
            }
        }
    }

    /// The server reported 100 in timeline 1, and its answer has the number 7 in the journal.
    var write: ConfirmedWrite {
        ConfirmedWrite(position: sequence == "reported" ? ServerPosition(1, 100) : nil, acceptance: 7)
    }

    var ownership: ResourceOwnership {
        let owners: [String: ResourceOwnership.Owner] = [
            "filter": .filters([1, 2]), "other": .filters([2]), "former": .formerFilters,
            "awaited": .bootstrappingFilter,
            "removed": .removedFilters, "nobody": .unowned, "walk": .listPass,
        ]
        let states: [String: ResourceState] = [
            "ready": .ready, "hidden": .hidden, "evicted": .evicted, "empty": .empty,
        ]
        let appliedSequences = [
            "below": ServerPosition(1, 99), "reached": ServerPosition(1, 100), "older": ServerPosition(0, 500),
            "newer": ServerPosition(2, 1),
        ]
        return ResourceOwnership(
            owner: owners[owner] ?? .unowned, state: states[state] ?? .ready,
            applied: appliedSequences[appliedSequence] ?? .zero)
    }

    /// A run is one of filter 1.
    var release: ReleaseTrigger {
        let words = occasion.split(separator: " ")
        let journal: Int64 = words.contains("after") ? 8 : 7
        if words.contains("change") { return .change }
        if words.contains("removal") { return .removal }
        if words.contains("pass") { return .pass(journalAtBegin: journal) }
        let bound = ServerPosition(words.contains("new") ? 2 : 1, words.contains("long") ? 100 : 99)
        return .run(RunEnd(filter: 1, bound: bound, journalAtBegin: journal))
    }

    var words: [String] { [owner, state, appliedSequence, sequence, occasion] }
}

/// One line of the table: what it is about, a star for anything, several words for any of them.
private struct Line {
    let cells: [[String]]
    let outcome: ReleaseDecision

    init(_ text: String) {
        let parts = text.split(separator: "|").map { part in part.split(separator: " ").joined(separator: " ") }
        cells = parts.dropLast().map {
            $0.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
        }
        outcome = ["goes": .discard, "row": .materialize][parts[parts.count - 1]] ?? .keep
    }

    func covers(_ situation: Situation) -> Bool {
        zip(cells, situation.words).allSatisfy { cell, words in
            cell.contains { option in
                option == "*" || option.split(separator: " ").allSatisfy(words.split(separator: " ").contains)
            }
        }
    }
}

@Suite struct `The release decision for an accepted write's overlay` {
    /// Of the lines that cover a situation the first counts. A run is long when it asked for changes up to the write; one
    /// that is new belongs to a later timeline than the write.
    private static let table = """
        owner               | rows           | applied | sequence | occasion           | overlay
        nobody, walk        | evicted        | *       | *        | *                  | stays
        nobody, walk        | *              | *       | *        | pass after         | goes
        walk                | *              | *       | *        | *                  | stays
        nobody              | *              | *       | *        | *                  | row
        removed             | *              | *       | *        | *                  | goes
        former, awaited     | *              | *       | *        | removal            | goes
        awaited             | *              | *       | *        | *                  | stays
        filter, other       | evicted, empty | *       | *        | *                  | stays
        filter, other, former | *  | reached, newer | reported | *                  | goes
        filter, former      | *    | below, older   | reported | run long, new run  | goes
        filter, former      | *              | *       | none     | run after          | goes
        filter, other, former | *            | *       | *        | *                  | stays
        """

    @Test func `matches the table in every combination`() {
        let lines = Self.table.split(separator: "\n").dropFirst().map { Line(String($0)) }
        var used: Set<Int> = []
        for situation in Situation.all {
            let place = lines.firstIndex { $0.covers(situation) }
            guard let place else {
                Issue.record("no line for \(situation)")
                continue
            }
            used.insert(place)
            let release = ReleaseDecision.decide(situation.write, under: situation.ownership, on: situation.release)
            #expect(release == lines[place].outcome, "\(situation), by line \(place + 1)")
        }
        #expect(Situation.all.count == 2688)
        #expect(used == Set(lines.indices))
    }
}
