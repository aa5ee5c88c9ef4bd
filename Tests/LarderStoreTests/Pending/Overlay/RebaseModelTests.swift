// Proves that local writes are shown, confirmed and released as a plain model of the rules says, after random changes.

import Foundation
import LarderFormat
import LarderStore
import Testing

private typealias Members = [String: Int]

/// What the rules of overlays say, row by row, as plainly as can be.
private struct RuleModel {
    enum Effect {
        case replacement(Members)
        case removal
        case patch([String: Int?])
    }

    struct Layer {
        var sequence: Int64
        var effect: Effect
        var entry: Int
        /// What the server said: the sequence it reported, and the journal's of the answer.
        var acceptance: (server: Int64?, journal: Int64)?
    }

    var rows: [Int: Members] = [:]
    var layers: [Int: [Layer]] = [:]
    var appliedSequence: Int64 = 0
    var isHeld = false
    /// Whether anything was synced of the resource.
    var isSynced = false

    static func apply(_ effect: Effect, to row: Members?) -> Members? {
        switch effect {
        case .replacement(let members): return members
        case .removal: return nil
        case .patch(let changes):
            guard var members = row else { return nil }
            for (name, value) in changes { members[name] = value }
            return members
        }
    }

    func shown(_ number: Int) -> Members? {
        (layers[number] ?? []).reduce(rows[number]) { Self.apply($1.effect, to: $0) }
    }

    /// Releases what may be, from below; `end` is the end of a run: its bound and the journal at its begin.
    mutating func release(_ numbers: some Sequence<Int>, end: (bound: Int64, journal: Int64)? = nil) {
        for number in numbers {
            var position = Int64.min
            while let lowest = layers[number]?.first, let acceptance = lowest.acceptance {
                if !isHeld {
                    rows[number] = Self.apply(lowest.effect, to: rows[number])
                    if let server = acceptance.server { position = max(position, server) }
                } else if let server = acceptance.server {
                    guard appliedSequence >= server || end.map({ $0.bound >= server }) == true else { break }
                } else {
                    guard let end, end.journal > acceptance.journal else { break }
                }
                layers[number]?.removeFirst()
            }
            // A snapshot that lags must not show the row as it was before.
            if !isSynced, rows[number] != nil { appliedSequence = max(appliedSequence, position) }
        }
    }
}

@Suite struct `Local writes under random changes` {
    private static let numbers = 1...5
    private let temporary = TemporaryStore()

    @Test(arguments: [1, 2, 3, 9_449_771_091_977_625_719, UInt64.random(in: 5 ... .max)])
    func `show, confirm and release as the rules say`(seed: UInt64) async throws {
        let store = try temporary.open()
        var history = History(store: store, seed: seed)
        for round in 0..<250 {
            let step = try await history.step()
            for number in Self.numbers {
                let found = try store.read { view in try view.payload(at: key(number)) }
                let members = try found.map { try JSONDecoder().decode(Members.self, from: Data($0)) }
                #expect(members == history.model.shown(number), "seed \(seed), round \(round), row \(number): \(step)")
                let stored = try store.read { view in try view.overlays(at: key(number)).map(\.sequence) }
                #expect(
                    stored == (history.model.layers[number] ?? []).map(\.sequence),
                    "seed \(seed), round \(round), row \(number): \(step)")
            }
            if round % 50 == 49 { #expect(try store.findings() == [], "seed \(seed), round \(round)") }
        }
        try store.close()
    }

    /// Does the same to the store and to the model.
    private struct History {
        let store: Store
        var random: SeededGenerator
        var model = RuleModel()
        var entries: [(number: Int, rows: [Int])] = []
        var next = 1
        /// The runs under way: their bounds and the journal at their begins.
        var runs: [(bound: Int64, journal: Int64)] = []

        init(store: Store, seed: UInt64) {
            self.store = store
            random = SeededGenerator(seed: seed)
        }

        mutating func step() async throws -> String {
            let number = Int.random(in: numbers, using: &random)
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<4: return try await put(number)
            case 4, 5: return try await remove(number)
            case 6: return try await replace()
            case 7: return try await raiseAppliedSequence()
            case 8..<14: return try await enqueue()
            case 14..<18: return try await accept()
            case 18, 19: return try await reject()
            case 20: return try await hold()
            case 21: return try await begin()
            default: return try await finish()
            }
        }

        private mutating func members() -> Members {
            var members: Members = [:]
            for name in ["a", "b", "c"] where Bool.random(using: &random) {
                members[name] = Int.random(in: 0..<9, using: &random)
            }
            return members
        }

        private static func json(_ members: [String: Int?]) -> [UInt8] {
            let parts = members.sorted { $0.key < $1.key }.map { name, value in
                "\"\(name)\":\(value.map(String.init) ?? "null")"
            }
            return bytes("{" + parts.joined(separator: ",") + "}")
        }

        private mutating func put(_ number: Int) async throws -> String {
            let members = members()
            try await store.write { try $0.put(Self.json(members), at: key(number), updatedAt: 1) }
            model.rows[number] = members
            return "put \(number)"
        }

        private mutating func remove(_ number: Int) async throws -> String {
            try await store.write { try $0.removeRow(at: key(number)) }
            model.rows[number] = nil
            return "remove \(number)"
        }

        private mutating func replace() async throws -> String {
            model.rows = [:]
            for number in numbers where Bool.random(using: &random) { model.rows[number] = members() }
            let appliedSequence = model.appliedSequence + Int64.random(in: 0...3, using: &random)
            try await store.replace(translations, appliedSequence: appliedSequence) { [rows = model.rows] writer in
                for (number, members) in rows {
                    try await writer.append(
                        Self.json(members), type: "translation", key: String(number), updatedAt: 1)
                }
            }
            model.appliedSequence = appliedSequence
            model.isSynced = true
            model.release(numbers)
            return "replace at \(appliedSequence)"
        }

        private mutating func raiseAppliedSequence() async throws -> String {
            // Only what syncs a resource knows sequences of it.
            guard model.isSynced else { return "nothing" }
            model.appliedSequence += Int64.random(in: 1...3, using: &random)
            try await store.write { [appliedSequence = model.appliedSequence] in
                try $0.update(translations) { $0.appliedSequence = appliedSequence }
            }
            model.release(numbers)
            return "raise to \(model.appliedSequence)"
        }

        private mutating func enqueue() async throws -> String {
            let rows = numbers.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let effects: [RuleModel.Effect] = rows.map { _ in
                switch Int.random(in: 0..<6, using: &random) {
                case 0: return .removal
                case 1, 2: return .replacement(members())
                default:
                    var changes: [String: Int?] = members().mapValues { $0 }
                    if Bool.random(using: &random) { changes.updateValue(nil, forKey: "b") }
                    return .patch(changes)
                }
            }
            let applied = zip(rows, effects).map { row, effect -> RowEffect in
                switch effect {
                case .removal: RowEffect(.removal, at: key(row))
                case .replacement(let members): RowEffect(.replacement(Self.json(members)), at: key(row))
                case .patch(let changes): RowEffect(.patch(Self.json(changes)), at: key(row))
                }
            }
            let sequence = try await store.write { [next] in
                try $0.enqueue(draft(next, lane: "\(next % 3)"), effects: applied).sequence
            }
            for (row, effect) in zip(rows, effects) {
                model.layers[row, default: []].append(.init(sequence: sequence, effect: effect, entry: next))
            }
            entries.append((next, rows))
            next += 1
            return "enqueue over \(rows)"
        }

        private mutating func accept() async throws -> String {
            guard !entries.isEmpty else { return "nothing" }
            let (number, rows) = entries.remove(at: Int.random(in: entries.indices, using: &random))
            let server =
                Bool.random(using: &random) ? model.appliedSequence + Int64.random(in: 0...4, using: &random) : nil
            let journal = try await store.write { transaction in
                let journal = try transaction.nextJournalSequence()
                try transaction.completeEntry(draft(number).id, sequence: server, at: 9)
                return journal
            }
            for row in rows {
                guard let place = model.layers[row]?.firstIndex(where: { $0.entry == number }) else { continue }
                model.layers[row]?[place].acceptance = (server, journal)
            }
            model.release(rows)
            return "accept \(number) at \(server.map(String.init) ?? "?")"
        }

        private mutating func reject() async throws -> String {
            guard !entries.isEmpty else { return "nothing" }
            let (number, rows) = entries.remove(at: Int.random(in: entries.indices, using: &random))
            try await store.write { try $0.rejectEntry(draft(number).id, OutboxDelivery(), detail: nil, at: 9) }
            for row in rows { model.layers[row]?.removeAll { $0.entry == number } }
            model.release(rows)
            return "reject \(number)"
        }

        /// Lets a filter hold the resource; it is never let go.
        private mutating func hold() async throws -> String {
            try await store.write { transaction in
                let number = try transaction.updateFilter("translations:19") { $0.run = 1 }
                try transaction.putMember(ofFilter: number, translations, MemberRecord(listedInRun: 1))
                if try transaction.resource(translations)?.state != .ready {
                    try transaction.markComplete(translations, now: 1)
                }
            }
            model.isHeld = true
            model.isSynced = true
            return "hold"
        }

        private mutating func begin() async throws -> String {
            let journal = try await store.write { try $0.nextJournalSequence() }
            runs.append((model.appliedSequence + Int64.random(in: 0...4, using: &random), journal))
            return "begin up to \(runs.last?.bound ?? 0)"
        }

        private mutating func finish() async throws -> String {
            guard model.isHeld, !runs.isEmpty else { return "nothing" }
            let run = runs.remove(at: Int.random(in: runs.indices, using: &random))
            try await store.write { transaction in
                let number = try transaction.filter("translations:19")?.number ?? 0
                _ = try transaction.releaseOverlays(
                    after: RunEnd(
                        filter: number, bound: ServerPosition(0, run.bound), journalAtBegin: run.journal))
            }
            model.release(numbers, end: run)
            return "finish up to \(run.bound)"
        }
    }
}
