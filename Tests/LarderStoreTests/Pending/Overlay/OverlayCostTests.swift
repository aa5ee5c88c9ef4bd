// Proves the cost of overlays in lookups, cursor moves and bytes hashed: a read does not pay for overlays it does not show.
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
            try transaction.applyOverlay(patch(0), at: key(1), updatedAt: 1)
        }
        let one = try costOfRead(store)
        try await store.write { transaction in
            for number in 1...99 { try transaction.applyOverlay(patch(number), at: key(1), updatedAt: 1) }
        }
        let hundred = try costOfRead(store)
        #expect(one == hundred, "\(one); \(hundred)")
        #expect(one.lookups == 1 && one.moves == 0, "\(one)")
        #expect(hundred.hashed < 4200, "\(hundred)")
        // Beside it, a row that nothing lies over costs one look for what might, and one at what lies there instead.
        let beside = try costOfRead(store, 2)
        #expect(beside.lookups == 2 && beside.moves == 4 && beside.hashed < 13_000, "\(beside)")
    }

    @Test func `a write is applied on top at the same cost, however many are beneath`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"n":"000000"}"#), at: key(1), updatedAt: 1) }
        let costs = try await store.write { transaction in
            var costs: [Cost] = []
            for number in 0..<200 {
                let cost = try Cost { try transaction.applyOverlay(patch(number), at: key(1), updatedAt: 1) }
                costs.append(cost)
            }
            return costs
        }
        #expect(
            costs[199].lookups == costs[2].lookups && costs[199].moves == costs[2].moves, "\(costs[2]); \(costs[199])")
        #expect(costs[199].hashed < costs[2].hashed + 100, "\(costs[2]); \(costs[199])")
        #expect(costs[199].sets == 2, "\(costs[199])")
    }

    /// The end of a run that began after all that was accepted.
    private var end: RunEnd { RunEnd(filter: 1, bound: .zero, journalAtBegin: .max) }

    @Test func `a write is accepted and materialized at the same cost, however many are above`() async throws {
        let store = try temporary.open()
        try await store.write { try $0.put(bytes(#"{"n":"000000"}"#), at: key(1), updatedAt: 1) }
        let count = 200
        let costs = try await store.write { transaction in
            let sequences = try (1...count).map { try transaction.applyOverlay(patch($0), at: key(1), updatedAt: 1) }
            return try sequences.map { sequence in
                let cost = try Cost {
                    try transaction.confirmOverlay(at: key(1), sequence: sequence)
                    _ = try transaction.releaseOverlays(after: end)
                }
                #expect(try transaction.payload(at: key(1)) == bytes(#"{"n":"100200"}"#))
                return cost
            }
        }
        // Each reads the write itself, the one above it and what is shown.
        for cost in costs { #expect(cost.moves < 15 && cost.hashed < 1500, "\(cost)") }
        try store.read { view in
            let row = try view.serverRow(at: key(1))
            #expect(row?.payload.equals(bytes(#"{"n":"100200"}"#).rawSpan) == true)
            #expect(try view.overlays(at: key(1)) == [])
        }
        #expect(try store.findings() == [])
    }

    @Test func `all that a run releases of a row is released at once`() async throws {
        func cost(_ count: Int, _ resource: ResourceKey) async throws -> Cost {
            try await store.write { transaction in
                let row = key(1, resource)
                try transaction.put(bytes(#"{"n":"000000"}"#), at: row, updatedAt: 1)
                let filter = try transaction.updateFilter("\(resource.group):\(resource.id)") { $0.run = 1 }
                try transaction.putMember(ofFilter: filter, resource, MemberRecord(listedInRun: 1))
                for number in 1...count {
                    let sequence = try transaction.applyOverlay(patch(number), at: row, updatedAt: 1)
                    if number > count / 2 { continue }
                    try transaction.confirmOverlay(at: row, sequence: sequence)
                }
                let end = RunEnd(filter: filter, bound: .zero, journalAtBegin: .max)
                return try Cost { _ = try transaction.releaseOverlays(after: end) }
            }
        }
        let store = try temporary.open()
        let twenty = try await cost(20, translations)
        let twoHundred = try await cost(200, tafsirs)
        #expect(twoHundred.moves < 10 * twenty.moves, "\(twenty); \(twoHundred)")
        #expect(twoHundred.hashed < 11 * twenty.hashed, "\(twenty); \(twoHundred)")
        #expect(try store.read { try $0.overlays(of: tafsirs).count } == 100)
        #expect(try store.read { try $0.payload(at: key(1, tafsirs)) } == bytes(#"{"n":"100200"}"#))
        #expect(try store.findings() == [])
    }

    @Test(arguments: [false, true])
    func `a page over 10,000 overlays reads about as many as it shows`(reversed: Bool) async throws {
        let store = try temporary.open()
        try await store.write { transaction in
            for number in 1...100 { try transaction.put(bytes("{}"), at: key(number * 100), updatedAt: 1) }
            for number in 1...10_000 {
                try transaction.applyOverlay(.replacement(bytes("{\"n\":\(number)}")), at: key(number), updatedAt: 1)
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

    @Test(arguments: [false, true])
    func `a page of an index over 10,000 overlays reads about as many as it shows`(reversed: Bool) async throws {
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        let numbers = Array(1...10_000)
        try await store.write { transaction in
            for number in 1...100 { try transaction.put(priced("\(number)"), at: key(number * 100), updatedAt: 1) }
            for number in numbers {
                let price = priced("\((number - 1) * 7 % 10_000 + 1)")
                try transaction.applyOverlay(.replacement(price), at: key(number), updatedAt: 1)
            }
        }
        var shown: [Int64] = []
        var last: IndexEntry?
        for _ in 1...3 {
            let cost = try store.read { view in
                let index = try #require(try view.index(named: "price"))
                return try Cost {
                    let page = try view.indexEntries(
                        of: index, in: translations, reversed: reversed, limit: 50, after: last)
                    last = page.last
                    for case .integer(let price) in page.map(\.value) { shown.append(price) }
                }
            }
            // The server's hundred rows have the lowest prices, and each is looked up to see that it is not shown.
            #expect(cost.lookups < 120 && cost.moves < 220 && cost.hashed < 20_000, "\(cost)")
        }
        #expect(shown == (reversed ? (9851...10_000).reversed() : Array(1...150)))
    }
}
#endif
