import LarderFormat
import LarderStore
import Testing

/// One situation in which a confirmed overlay is looked at, by the words of the table.
private struct Situation {
    let keeper: String
    let state: String
    let floor: String
    let sequence: String
    let occasion: String

    static let keepers = ["filter", "other", "former", "awaited", "removed", "nobody", "walk"]
    static let states = ["ready", "hidden", "evicted", "empty"]
    static let floors = ["below", "reached", "older", "newer"]
    static let sequences = ["reported", "none"]
    static let occasions =
        ["change", "removal", "pass before", "pass after"]
        + ["run", "new run"].flatMap { run in
            ["before", "after"].flatMap { begin in ["short", "long"].map { "\(run) \(begin) \($0)" } }
        }

    /// Every combination.
    static let all = keepers.flatMap { keeper in
        states.flatMap { state in
            floors.flatMap { floor in
                sequences.flatMap { sequence in
                    occasions.map { occasion in
                        Situation(
                            keeper: keeper, state: state, floor: floor, sequence: sequence, occasion: occasion)
                    }
                }
            }
        }
    }

    /// The server reported 100 in timeline 1, and its answer has the number 7 in the journal.
    var write: ConfirmedWrite {
        ConfirmedWrite(position: sequence == "reported" ? ServerPosition(1, 100) : nil, acceptance: 7)
    }

    var tenure: Tenure {
        let keepers: [String: Tenure.Keeper] = [
            "filter": .filters([1, 2]), "other": .filters([2]), "former": .formerFilters, "awaited": .awaited,
            "removed": .removedFilters, "nobody": .nobody, "walk": .walk,
        ]
        let states: [String: ResourceState] = [
            "ready": .ready, "hidden": .hidden, "evicted": .evicted, "empty": .empty,
        ]
        let floors = [
            "below": ServerPosition(1, 99), "reached": ServerPosition(1, 100), "older": ServerPosition(0, 500),
            "newer": ServerPosition(2, 1),
        ]
        return Tenure(
            keeper: keepers[keeper] ?? .nobody, state: states[state] ?? .ready, applied: floors[floor] ?? .zero)
    }

    /// A run is one of filter 1.
    var release: ReleaseOccasion {
        let words = occasion.split(separator: " ")
        let journal: Int64 = words.contains("after") ? 8 : 7
        if words.contains("change") { return .change }
        if words.contains("removal") { return .removal }
        if words.contains("pass") { return .pass(journalAtBegin: journal) }
        let bound = ServerPosition(words.contains("new") ? 2 : 1, words.contains("long") ? 100 : 99)
        return .run(RunEnd(filter: 1, bound: bound, journalAtBegin: journal))
    }

    var words: [String] { [keeper, state, floor, sequence, occasion] }
}

/// One line of the table: what it is about, a star for anything, several words for any of them.
private struct Line {
    let cells: [[String]]
    let outcome: Release

    init(_ text: String) {
        let parts = text.split(separator: "|").map { part in part.split(separator: " ").joined(separator: " ") }
        cells = parts.dropLast().map {
            $0.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
        }
        outcome = ["goes": .goes, "row": .becomesRow][parts[parts.count - 1]] ?? .stays
    }

    func covers(_ situation: Situation) -> Bool {
        zip(cells, situation.words).allSatisfy { cell, words in
            cell.contains { choice in
                choice == "*" || choice.split(separator: " ").allSatisfy(words.split(separator: " ").contains)
            }
        }
    }
}

@Suite struct `What becomes of an accepted write's overlay` {
    /// Of the lines that cover a situation the first counts. A run is long when it asked for changes up to the write; one
    /// that is new belongs to a later timeline than the write.
    private static let table = """
        keeper              | rows           | floor   | sequence | occasion           | overlay
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

    @Test func `is what the table says, whatever comes together`() {
        let lines = Self.table.split(separator: "\n").dropFirst().map { Line(String($0)) }
        var used: Set<Int> = []
        for situation in Situation.all {
            let place = lines.firstIndex { $0.covers(situation) }
            guard let place else {
                Issue.record("no line for \(situation)")
                continue
            }
            used.insert(place)
            let release = Release.of(situation.write, under: situation.tenure, on: situation.release)
            #expect(release == lines[place].outcome, "\(situation), by line \(place + 1)")
        }
        #expect(Situation.all.count == 2688)
        #expect(used == Set(lines.indices))
    }
}
