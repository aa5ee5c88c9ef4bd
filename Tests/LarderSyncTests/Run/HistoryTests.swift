// Proves that a store converges to its origin after random changes over a network that fails at times.

import Foundation
import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

/// Random lives of an origin, synced now and then over a network that fails now and then.
@Suite(.timeLimit(.minutes(5))) struct `A store that is synced through any history` {
    private static let filters = ["translations:*", "translations:1,2,3", "translations:3,4;tafsirs:*", "tafsirs:1"]

    /// Further seeds, or one that failed, by `LARDER_SEEDS`, such as `17` or `0,500`.
    static var seeds: [UInt64] {
        let given = ProcessInfo.processInfo.environment["LARDER_SEEDS"]?.split(separator: ",").compactMap { UInt64($0) }
        switch given {
        case let bounds? where bounds.count == 2: return Array(bounds[0]..<bounds[1])
        case let list? where !list.isEmpty: return list
        default: return Array(1...24)
        }
    }

    @Test(arguments: seeds)
    func `equals the origin once all is quiet`(_ seed: UInt64) async throws {
        try await check(seed, .inProcess, steps: 60)
    }

    #if Server && AsyncHTTPClient
    @Test(arguments: [101, 102, 103])
    func `equals the origin once all is quiet, over HTTP`(_ seed: UInt64) async throws {
        try await check(seed, .http, steps: 60)
    }
    #endif

    private func check(_ seed: UInt64, _ wiring: Wiring, steps: Int) async throws {
        try await wiring.run { fixture in
            var history = History(seed: seed, fixture: fixture)
            for _ in 0..<steps {
                try await history.step(Self.filters)
            }
            // The network is well again; every filter is synced twice, since the first may meet what faults left.
            fixture.script.clearPlans()
            for _ in 1...2 {
                for filter in Self.filters { try await fixture.sync(filter) }
            }
            #expect(try await fixture.differences(Self.filters) == [], "seed \(seed)")
        }
    }
}

/// One random life.
private struct History {
    private let fixture: SyncFixture
    private var random: SeededGenerator
    private var next = 0
    private var created: [Origin.ResourceID] = []

    init(seed: UInt64, fixture: SyncFixture) {
        self.fixture = fixture
        random = SeededGenerator(seed: seed)
    }

    /// Some commands, then a run of one or two filters, whatever becomes of it.
    mutating func step(_ filters: [String]) async throws {
        for _ in 0..<Int.random(in: 0...6, using: &random) { await command() }
        if Int.random(in: 0..<12, using: &random) == 0 { try await fixture.origin.invalidateTokens() }
        if Int.random(in: 0..<12, using: &random) == 0 {
            let oldest = max(0, try await fixture.origin.sequence - Int64.random(in: 0...20, using: &random))
            try await fixture.origin.removeChanges(before: oldest)
        }
        plan()
        let size = Int.random(in: 1...8, using: &random)
        let first = filters.randomElement(using: &random) ?? filters[0]
        let second = filters.randomElement(using: &random) ?? filters[0]
        async let one: Void = run(first, size)
        if first != second, Bool.random(using: &random) {
            async let two: Void = run(second, size)
            // Content goes on changing while runs are under way.
            for _ in 0..<3 { await command() }
            await two
        }
        await one
        try checkRows()
    }

    private func run(_ filter: String, _ size: Int) async {
        _ = try? await fixture.sync(filter, configure: { $0.perPage = size })
    }

    /// Every resource shown is one whole edition: all rows of an edition carry its number, but for those edited since.
    private func checkRows() throws {
        let resources = try fixture.store.read { view in try view.resources() }
        for resource in resources where resource.state == .ready {
            #expect(try fixture.rows(resource.key).count == resource.rowCount)
        }
    }

    /// One change of the origin; those that make no sense are refused by it.
    private mutating func command() async {
        next += 1
        let group = Int.random(in: 0..<3, using: &random) == 0 ? "tafsirs" : "translations"
        let resource = Origin.ResourceID(group, Int64.random(in: 1...5, using: &random))
        let type = String(group.dropLast())
        let key = Int.random(in: 1...12, using: &random)
        let origin = fixture.origin
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<2: _ = try? await origin.createResource(resource, rows: rows(type))
        case 2..<8: _ = try? await origin.putRow(Origin.Row(type: type, key: "\(key)", body(key)), in: resource)
        case 8..<11: _ = try? await origin.deleteRow(Origin.RowKey(type, "\(key)"), in: resource)
        case 11: _ = try? await origin.hideResource(resource, reason: nil)
        case 12..<14: _ = try? await origin.publishResource(resource)
        case 14: _ = try? await origin.replaceRows(of: resource, with: rows(type))
        default: _ = try? await origin.touchResource(resource)
        }
    }

    private mutating func rows(_ type: String) -> [Origin.Row] {
        let count = Int.random(in: 0...12, using: &random)
        return (1...12).prefix(count).map { Origin.Row(type: type, key: "\($0)", body($0)) }
    }

    private func body(_ key: Int) -> String { "{\"id\":\(key),\"text\":\"\(next)\"}" }

    /// Perhaps something goes wrong in one of the next exchanges.
    private mutating func plan() {
        fixture.script.clearPlans()
        guard Int.random(in: 0..<2, using: &random) == 0 else { return }
        let after = Int.random(in: 0...6, using: &random)
        let bytes = Int.random(in: 0...400, using: &random)
        let fault: Fault =
            switch Int.random(in: 0..<7, using: &random) {
            case 0: .fail(.connectionRefused)
            case 1: .loseResponse(.connectionLost(reason: "test"))
            case 2: .cut(after: bytes)
            case 3: .truncate(after: bytes)
            case 4: .status(.serviceUnavailable)
            case 5: .body(Array("{}".utf8))
            default: .rechunk(max(1, bytes % 17))
            }
        fixture.script.plan(fault, after: after, where: { _ in true })
    }
}
