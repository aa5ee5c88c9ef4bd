// Proves that a shrinker finds the steps that matter, and that a trace distinguishes histories.

import LarderSimulator
import LarderTesting
import Testing

@Suite struct `A shrinker` {
    @Test(arguments: [[3], [0, 99], [17, 18, 19], [5, 50, 95], Array(stride(from: 0, to: 100, by: 9))])
    func `finds exactly the steps that matter`(_ culprits: [Int]) {
        let found = Shrinker.shrink(Array(0..<100), budget: 5000) { Set($0).isSuperset(of: culprits) }
        #expect(found == culprits)
    }

    @Test func `keeps to its budget and to failing lists`() {
        var calls = 0
        let found = Shrinker.shrink(Array(0..<1000), budget: 25) { steps in
            calls += 1
            return steps.contains(7) && steps.contains(700)
        }
        #expect(calls <= 25)
        #expect(found.contains(7) && found.contains(700))
        #expect(found.count < 1000)
    }

    @Test func `finds that nothing is needed for what always fails`() {
        #expect(Shrinker.shrink([1, 2, 3], budget: 100) { _ in true }.isEmpty)
        #expect(Shrinker.shrink([Int](), budget: 100) { _ in true }.isEmpty)
    }
}

@Suite struct `A history's trace` {
    @Test func `distinguishes two histories, also where their lines run together`() {
        #expect(hash(["ab", "c"]) == hash(["ab", "c"]))
        #expect(hash(["ab", "c"]) != hash(["a", "bc"]))
        #expect(hash(["ab", "c"]) != hash(["c", "ab"]))
    }

    @Test func `has the published value for one line`() {
        // FNV-1a of the four bytes `foo\n`, reckoned with its published constants.
        let expected = "foo\n".utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        #expect(hash(["foo"]) == expected)
    }

    @Test func `keeps the last lines`() {
        var trace = HistoryTrace(keeping: 3)
        for number in 1...7 { trace.append("step \(number)") }
        #expect(trace.lines == ["5: step 5", "6: step 6", "7: step 7"])
        #expect(trace.count == 7)
    }

    private func hash(_ lines: [String]) -> UInt64 {
        var trace = HistoryTrace(keeping: 0)
        for line in lines { trace.append(line) }
        return trace.hash
    }
}
