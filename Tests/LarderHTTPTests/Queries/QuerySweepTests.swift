// Proves that invalidations which the store refuses do not accumulate, and end with the first that succeeds.
import Testing

@testable import LarderHTTP

@Suite struct `Sweeps of a query table` {
    @Test func `that failed end with an equal one that succeeds`() {
        var table = QueryTable()
        let sweep = QuerySweep(selection: .prefix(["a"]), kind: .invalidation)
        for _ in 1...3 { _ = table.begin(sweep) }
        let last = table.begin(sweep)
        #expect(table.isSwept(["a", 1], by: .invalidation))
        table.endSweep(last)
        #expect(!table.isSwept(["a", 1], by: .invalidation))
    }

    @Test func `of removals that overlap last until the last one ends`() {
        var table = QueryTable()
        let sweep = QuerySweep(selection: .prefix(["a"]), kind: .removal)
        let first = table.begin(sweep)
        let second = table.begin(sweep)
        table.endSweep(second)
        #expect(table.isSwept(["a"], by: .removal))
        table.endSweep(first)
        #expect(!table.isSwept(["a"], by: .removal))
    }
}
