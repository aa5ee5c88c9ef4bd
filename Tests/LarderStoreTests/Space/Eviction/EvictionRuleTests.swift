// Proves which items the eviction rule selects: by idle time, size and how they can be fetched again.

import LarderStore
import Testing

@Suite struct `The eviction rule` {
    private func item(_ bytes: Int64, idle: Int64, isFetchable: Bool = true) -> EvictionRule.Item {
        EvictionRule.Item(bytes: bytes, idle: idle * 1000, isFetchable: isFetchable)
    }

    private func order(_ items: [EvictionRule.Item], wanted: Int64) -> [EvictionRule.Item] {
        let rule = EvictionRule(wanted: wanted)
        return items.sorted { rule.prefers($0, to: $1) }
    }

    @Test func `selects the longest unused of equal sizes`() {
        let items = [item(1000, idle: 5), item(1000, idle: 500), item(1000, idle: 50)]
        #expect(order(items, wanted: 100).map(\.idle) == [500_000, 50_000, 5_000])
    }

    @Test func `selects an item that is large enough before small ones of equal age`() {
        let items = [item(100, idle: 60), item(40_000, idle: 60)]
        #expect(order(items, wanted: 40_000).map(\.bytes) == [40_000, 100])
    }

    @Test func `does not evict much to gain little`() {
        let items = [item(50_000_000, idle: 60), item(20_000, idle: 60)]
        #expect(order(items, wanted: 10_000).map(\.bytes) == [20_000, 50_000_000])
        #expect(order(items, wanted: 40_000_000).map(\.bytes) == [50_000_000, 20_000])
    }

    @Test func `keeps what cannot be fetched again longer`() {
        let items = [item(1000, idle: 100, isFetchable: false), item(1000, idle: 10)]
        #expect(order(items, wanted: 1000).map(\.isFetchable) == [true, false])
        let old = [item(1000, idle: 1000, isFetchable: false), item(1000, idle: 10)]
        #expect(order(old, wanted: 1000).map(\.isFetchable) == [false, true])
    }

    @Test func `treats a future time as now`() {
        let rule = EvictionRule(wanted: 10)
        #expect(rule.cost(item(10, idle: -50)) == rule.cost(item(10, idle: 1)))
        #expect(rule.cost(item(10, idle: 0)) == rule.cost(item(10, idle: 1)))
    }

    @Test(arguments: [0, 1, .max] as [Int64])
    func `is a total order for any numbers`(wanted: Int64) {
        let numbers: [Int64] = [.min, -1, 0, 1, 1000, .max]
        let rule = EvictionRule(wanted: wanted)
        let items = numbers.flatMap { bytes in
            numbers.flatMap { idle in
                [true, false].map { EvictionRule.Item(bytes: bytes, idle: idle, isFetchable: $0) }
            }
        }
        for first in items {
            #expect(rule.cost(first).isFinite && rule.cost(first) > 0)
            #expect(!rule.prefers(first, to: first))
            for second in items where rule.prefers(first, to: second) { #expect(!rule.prefers(second, to: first)) }
        }
    }
}
