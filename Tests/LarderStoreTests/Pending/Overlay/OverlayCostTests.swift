// Proves what overlays cost, in lookups, moves of cursors and bytes hashed: a read and a page do not pay for what they do not show.
#if DEBUG
import LarderFormat
import LarderStore
import Testing

@Suite struct `What overlays cost` {
    private let temporary = TemporaryStore()

    private func patch(_ number: Int) -> OverlayChange { .patch(bytes(#"{"n":"\#(100_000 + number)"}"#)) }

    private func costOfRead(_ store: Store, _ number: Int = 1) throws -> Cost {
        try store.read { view in
            // The number of the format, the counters: what a view reads once is none of the row's.
            _ = try view.row(at: key(99)) == nil
            return try Cost { _ = try view.row(at: key(number)) == nil }
        }
    }

    @Test func `a row under one write is read as one under a hundred`() async throws {
        let store = try temporary.open()
        let large = String(repeating: "x", count: 4000)
        try await store.write { transaction in
            for number in 1...2 {
                try transaction.put(bytes(#"{"a":"\#(large)","n":"000000"}"#), at: key(number), updatedAt: 1)
            }
        }
        let bare = try costOfRead(store)
        #expect(bare.lookups == 1 && bare.moves == 0)
        try await store.write { transaction in
            try transaction.layOver(patch(0), at: key(1), updatedAt: 1)
        }
        let one = try costOfRead(store)
        try await store.write { transaction in
            for number in 1...99 { try transaction.layOver(patch(number), at: key(1), updatedAt: 1) }
        }
        let hundred = try costOfRead(store)
        #expect(one == hundred, "\(one); \(hundred)")
        #expect(one.lookups == 1 && one.moves == 0, "\(one)")
        #expect(hundred.hashed < 4200, "\(hundred)")
        // Beside it, a row that nothing lies over costs one look for what might.
        let beside = try costOfRead(store, 2)
        #expect(beside.lookups == 2 && beside.moves == 0, "\(beside)")
    }

    @Test func `a write is laid on top at the same cost, however many lie beneath`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"n":"000000"}"#), at: key(1), updatedAt: 1) }
        let costs = try await store.write { transaction in
            var costs: [Cost] = []
            for number in 0..<200 {
                let cost = try Cost { try transaction.layOver(patch(number), at: key(1), updatedAt: 1) }
                costs.append(cost)
            }
            return costs
        }
        #expect(
            costs[199].lookups == costs[2].lookups && costs[199].moves == costs[2].moves, "\(costs[2]); \(costs[199])")
        #expect(costs[199].hashed < costs[2].hashed + 100, "\(costs[2]); \(costs[199])")
        #expect(costs[199].sets == 2, "\(costs[199])")
    }

    @Test(arguments: [false, true])
    func `a page over 10,000 overlays reads about as many as it shows`(reversed: Bool) async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            for number in 1...100 { try transaction.put(bytes("{}"), at: key(number * 100), updatedAt: 1) }
            for number in 1...10_000 {
                try transaction.layOver(.replacement(bytes("{\"n\":\(number)}")), at: key(number), updatedAt: 1)
            }
        }
        var shown: [String] = []
        let cost = try store.read { view in
            try Cost {
                try view.forEachRow(in: .all(of: translations), reversed: reversed, limit: 50) { entry in
                    shown.append(try entry.key().key)
                }
            }
        }
        let wanted = reversed ? (9951...10_000).reversed().map(String.init) : (1...50).map(String.init)
        #expect(shown == wanted)
        #expect(cost.lookups < 60 && cost.moves < 80, "\(cost)")
        #expect(cost.hashed < 50 * 150, "\(cost)")
        let middle = try store.read { view in
            try Cost {
                let range = RowRange.keys(from: "5000", through: "5019", type: "translation", of: translations)
                let rows = try view.rows(in: range, reversed: reversed)
                #expect(rows.count == 20)
            }
        }
        #expect(middle.lookups < 30 && middle.moves < 40, "\(middle)")
    }
}
#endif
