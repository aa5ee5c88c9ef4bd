// Proves that pages are checked before liblmdb first reads them: damage is a typed error or harmless, whatever read or
// write meets it, and a page is checked once.

import Foundation
import LarderEngine
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A file that was damaged after its clean close` {
    /// Each read of each row, absent keys, and scans both ways.
    @Test func `is read as it was, or with an error, whichever trusted bit is another`() throws {
        let seed = UInt64.random(in: 0...9999)
        var random = SeededGenerator(seed: seed)
        let store = try GuardedStore(seed: seed)
        var places = store.trusted.filter { $0.kind == .table || $0.kind == .tableName }
        for kind in [.header, .slot, .node, .separator, .largeValue] as [GuardedStore.Kind] {
            places += store.trusted.filter { $0.kind == kind }.shuffled(using: &random).prefix(40)
        }
        var errors = 0
        for place in places {
            let mask = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try store.flipping(mask, at: place.offset) {
                let answers = store.answers()
                errors += answers.errors
                #expect(answers.wrong == [], "seed \(seed), \(place.kind) at \(place.offset), mask \(mask)")
            }
        }
        #expect(errors > 100)
    }

    /// The row is on one side of the separator, and the changed separator leads to the other.
    @Test func `reports no row as absent because a separator leads to the leaf beside it`() throws {
        let store = try GuardedStore(seed: 1)
        let separators = store.trusted.filter { $0.kind == .separator }
        // The highest changed byte moves most rows.
        let first = try #require(separators.first { store.sound[$0.offset] == UInt8(ascii: "1") })
        for offset in first.offset + 1..<first.offset + 6 {
            try store.flipping(0x40, at: offset) {
                let environment = try Environment.open(path: store.path, options: GuardedStore.options())
                let rows = try #require(store.rows["deep"])
                var found = 0
                for row in rows {
                    do {
                        #expect(try environment.get(row.key, in: "deep") == row.value)
                        found += 1
                    } catch EngineError.damagedPage {}
                }
                // The damage is contained: rows on other pages are read.
                #expect(found > 100 && found < rows.count, "\(found) of \(rows.count)")
                try environment.close()
                // A close after that is not a clean one, so that an open checks all pages.
                #expect(throws: EngineError.self) {
                    try Environment.open(path: store.path, options: GuardedStore.options())
                }
            }
        }
    }

    /// The earlier version is a free page whose keys fit the place.
    @Test func `has no earlier version of a page read in its place`() throws {
        let store = try GuardedStore(seed: 3)
        let versions = store.earlierVersions
        #expect(!versions.isEmpty)
        for version in versions {
            try store.changing({ $0.replaceSubrange(version.place..<version.place + 4, with: version.number) }) {
                let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
                let error = #expect(throws: EngineError.self) {
                    try environment.get(version.key, in: "deep")
                }
                guard case .damagedPage(_, "it is free, and used") = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                try environment.close()
            }
        }
    }

    /// The table of one page has no bounds that its keys could be compared with.
    @Test func `has no page of another table read in place of its own`() throws {
        let store = try GuardedStore(seed: 3)
        let rows = try #require(store.rows["deep"])
        let root = store.rootPlace(of: "two")
        let leaf = UInt32(store.leaf(of: rows[200].key) / 4096)
        let number = (0..<4).map { UInt8(truncatingIfNeeded: leaf >> (8 * $0)) }
        try store.changing({ $0.replaceSubrange(root..<root + 4, with: number) }) {
            let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
            #expect(throws: EngineError.self) { try environment.get(GuardedStore.key(0), in: "two") }
            #expect(throws: EngineError.self) { try environment.contents(of: "two") }
            // It is not known whose page it is; others are read.
            #expect(try environment.get(rows[0].key, in: "deep") == rows[0].value)
            try environment.close()
        }
        // That of another table of one page is found at the open.
        let other = store.rootPlace(of: "one")
        try store.changing({ $0.replaceSubrange(root..<root + 8, with: store.sound[other..<other + 8]) }) {
            #expect(throws: EngineError.damagedMeta(reason: "list of tables")) {
                try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
            }
        }
    }

    /// A key that is found needs no look at the separators above it, so the notes of a page name its table.
    @Test func `has no page of another table read that was read there before`() throws {
        let store = try GuardedStore(seed: 4)
        let flat = try #require(store.rows["flat"])
        var cases = 0
        // Where the table of three levels leads to the leaf of a key that both have, the number of the other's leaf.
        for row in flat {
            let leaf = UInt32(store.way(to: row.key, in: "flat").leaf / 4096)
            let number = (0..<4).map { UInt8(truncatingIfNeeded: leaf >> (8 * $0)) }
            let place = store.way(to: row.key, in: "deep").node
            try store.changing({ $0.replaceSubrange(place..<place + 4, with: number) }) {
                let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
                // Where both lead there by the first key of the leaf, none has it.
                if let value = try? environment.get(row.key, in: "flat") {
                    #expect(value == row.value)
                    cases += 1
                }
                for other in store.rows["deep"] ?? [] {
                    if let value = try? environment.get(other.key, in: "deep") { #expect(value == other.value) }
                }
                #expect(throws: EngineError.self) { try environment.get(row.key, in: "deep") }
                try environment.close()
            }
        }
        #expect(cases > 10)
    }

    @Test func `has no other page read as a large value`() throws {
        let store = try GuardedStore(seed: 6)
        let rows = try #require(store.rows["deep"])
        // The number of the first page of a value of the first table.
        let place = try #require(store.trusted.first { $0.kind == .largeValue }).offset
        let leaf = UInt32(store.leaf(of: rows[200].key) / 4096)
        let number = (0..<4).map { UInt8(truncatingIfNeeded: leaf >> (8 * $0)) }
        try store.changing({ $0.replaceSubrange(place..<place + 4, with: number) }) {
            let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
            var errors = 0
            for row in rows {
                do {
                    #expect(try environment.get(row.key, in: "deep") == row.value)
                } catch EngineError.damagedPage { errors += 1 }
            }
            #expect(errors == 1)
            try environment.close()
        }
    }

    @Test func `has no lost table made anew where a name is another`() throws {
        let store = try GuardedStore(seed: 2)
        for place in store.trusted where place.kind == .tableName {
            try store.flipping(0x02, at: place.offset) {
                #expect(throws: EngineError.self) {
                    try Environment.open(path: store.path, options: GuardedStore.options())
                }
            }
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A damaged file above the limit of a full check` {
    private let limit: UInt64 = 0

    @Test func `is changed as a sound one, or not at all, whichever trusted bit is another`() throws {
        let seed = UInt64.random(in: 0...9999)
        var random = SeededGenerator(seed: seed)
        let store = try GuardedStore(seed: seed)
        let places = store.trusted.filter { $0.kind != .tableName }.shuffled(using: &random).prefix(120)
        for place in places {
            let mask = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try store.flipping(mask, at: place.offset) {
                let wrong = try store.answersAfterWrites(limit: limit, using: &random)
                #expect(wrong == [], "seed \(seed), \(place.kind) at \(place.offset), mask \(mask)")
            }
        }
    }

    @Test func `fails the transaction that meets the damage`() throws {
        let store = try GuardedStore(seed: 4)
        let rows = try #require(store.rows["deep"])
        let leaf = store.leaf(of: rows[200].key)
        try store.flipping(0x01, at: leaf + 14) {
            let environment = try Environment.open(
                path: store.path, options: GuardedStore.options(fullCheckLimit: limit))
            let table = environment.table("deep")
            let key = rows[200].key
            for change in [
                { transaction in try transaction.set(key, [1], in: table) },
                { transaction in _ = try transaction.remove(key: key, in: table) },
            ] as [(inout WriteTransaction) throws -> Void] {
                #expect(throws: EngineError.self) {
                    try environment.writeBlocking { transaction in
                        // The transaction fails even where the error is not passed on.
                        try? change(&transaction)
                        try transaction.set([1], [1], in: table)
                    }
                }
            }
            #expect(try environment.get([1], in: "deep") == nil)
            #expect(throws: EngineError.self) {
                try environment.writeBlocking { transaction in
                    try transaction.withCursor(in: table) { cursor in
                        unsafe try cursor.removeWhile(from: key.span.bytes, limit: 1) { _ in true }
                    }
                }
            }
            // Others are written.
            try environment.set(rows[0].key, [7], in: "deep")
            #expect(try environment.get(rows[0].key, in: "deep") == [7])
            try environment.close()
            // A close after that is not a clean one, so that an open checks the pages.
            #expect(throws: EngineError.self) {
                try Environment.open(path: store.path, options: GuardedStore.options())
            }
        }
    }

    /// A removal may merge the leaf with the one beside it.
    @Test func `has no rows removed beside a damaged leaf`() throws {
        let store = try GuardedStore(seed: 5)
        let rows = try #require(store.rows["deep"])
        let leaf = store.leaf(of: rows[200].key)
        let beside = try #require(rows[201...].first { store.leaf(of: $0.key) != leaf })
        try store.flipping(0x01, at: store.leaf(of: beside.key) + 14) {
            let environment = try Environment.open(
                path: store.path, options: GuardedStore.options(fullCheckLimit: limit))
            #expect(throws: EngineError.self) {
                try environment.writeBlocking { transaction in
                    _ = try transaction.remove(key: rows[200].key, in: environment.table("deep"))
                }
            }
            #expect(try environment.get(rows[200].key, in: "deep") == rows[200].value)
            try environment.close()
        }
    }
}

@Suite(.serialized) struct `A page` {
    @Test func `is checked when a read first meets it, and no more`() throws {
        let store = try GuardedStore(seed: 6)
        let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
        let rows = try #require(store.rows["deep"])
        // With it, the pages of other tables are checked that might lead to the same ones.
        #expect(try (3...6).contains(checks { _ = try environment.get(rows[0].key, in: "deep") }))
        #expect(try checks { _ = try environment.get(rows[0].key, in: "deep") } == 0)
        let middle = rows[200].key
        #expect(try (1...4).contains(checks { _ = try environment.get(middle, in: "deep") }))
        #expect(try checks { _ = try environment.get(middle, in: "deep") } == 0)
        let all = try checks { _ = try environment.contents(of: "deep") }
        #expect(all > 40)
        #expect(try checks { _ = try environment.contents(of: "deep") } == 0)
        #expect(try checks { for row in rows { _ = try environment.get(row.key + [0], in: "deep") } } == 0)
        try environment.close()
    }

    @Test func `is on one way from the root for each read, and for two at the end of a leaf`() throws {
        let store = try GuardedStore(seed: 7)
        let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
        let rows = try #require(store.rows["deep"])
        _ = try environment.contents(of: "deep")
        #expect(try descents { _ = try environment.get(rows[200].key, in: "deep") } == 1)
        #expect(try descents { _ = try environment.contents(of: "deep") } <= 1)
        try environment.close()
    }

    @Test func `needs no check where all were checked: at the open, before the first write, or on request`() throws {
        let store = try GuardedStore(seed: 8)
        let rows = try #require(store.rows["deep"])
        func isGuarded(_ environment: Environment) throws -> Bool {
            try descents { _ = try environment.get(rows[0].key, in: "deep") } > 0
        }
        var environment = try Environment.open(path: store.path, options: GuardedStore.options())
        #expect(try isGuarded(environment))
        try environment.set([1], [1], in: "one")
        #expect(try !isGuarded(environment))
        try environment.close()
        environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
        #expect(try isGuarded(environment))
        #expect(try environment.pageProblems(readsLeaves: false) == [])
        #expect(try isGuarded(environment))
        #expect(try environment.pageProblems() == [])
        #expect(try !isGuarded(environment))
        try environment.close()
        try FileManager.default.removeItem(atPath: store.path + "/guard.lock")
        environment = try Environment.open(path: store.path, options: GuardedStore.options())
        #expect(try !isGuarded(environment))
        try environment.suspend { _, _ in true }
        #expect(try isGuarded(environment))
        try environment.close()
    }

    @Test func `needs no check behind a check in steps that came round without a finding`() throws {
        let store = try GuardedStore(seed: 9)
        let rows = try #require(store.rows["deep"])
        let options = GuardedStore.options(fullCheckLimit: 0)
        let environment = try Environment.open(path: store.path, options: options)
        func isGuarded() throws -> Bool { try descents { _ = try environment.get(rows[0].key, in: "deep") } > 0 }
        func scrub() throws {
            var scrub = PageScrub()
            repeat { _ = try environment.checkPages(&scrub, budget: 5) } while !scrub.isAtStart
        }
        // Steps do not compare the users of pages, as the check before the first write does.
        try scrub()
        #expect(try isGuarded())
        try environment.set([1], [1], in: "one")
        #expect(try isGuarded())
        try scrub()
        #expect(try !isGuarded())
        try environment.close()
    }

    private func checks(_ body: () throws -> Void) throws -> Int { try count(.pageCheck, body) }

    private func descents(_ body: () throws -> Void) throws -> Int { try count(.descent, body) }

    private func count(_ access: TableAccess, _ body: () throws -> Void) throws -> Int {
        let counts = AccessCounts()
        try AccessCounts.$current.withValue(counts) { try body() }
        return counts[access]
    }
}
