// Proves that a treemap gives each value its share of the area, without overlaps, and that JSON is laid out unchanged.
import LarderJSON
import Testing

@testable import cachetool

@Suite struct `A treemap` {
    @Test func `gives each value its share, within the area`() {
        for seed in 0..<200 {
            var random = Generator(state: UInt64(seed))
            let values = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                Double.random(in: 0...1000, using: &random).rounded()
            }.sorted(by: >)
            let (width, height, sum) = (960.0, 320.0, values.reduce(0, +))
            let boxes = Treemap(values, width: width, height: height).rectangles
            #expect(boxes.count == values.count, "seed \(seed)")
            for (value, box) in zip(values, boxes) {
                let share = sum > 0 ? value / sum * width * height : 0
                #expect(abs(box.width * box.height - share) < 0.01, "seed \(seed): \(value)")
                #expect(box.x >= -0.01 && box.y >= -0.01, "seed \(seed)")
                #expect(box.x + box.width <= width + 0.01 && box.y + box.height <= height + 0.01, "seed \(seed)")
            }
            for (index, box) in boxes.enumerated() {
                for other in boxes[(index + 1)...] where box.overlaps(other) { Issue.record("seed \(seed): overlap") }
            }
        }
    }

    @Test func `of nothing is nothing`() {
        #expect(Treemap([], width: 10, height: 10).rectangles.isEmpty)
        #expect(Treemap([0, 0], width: 10, height: 10).rectangles.count == 2)
    }
}

@Suite struct `JSON in lines` {
    @Test func `has one line for each member and element, and keeps every spelling`() throws {
        let text = #"{"a":[1.50e3,[],{}, "x,{\"}\\"],"b":{"c":null},"d":[]}"#
        let lines = try #require(PrettyJSON.lines(bytes(text)))
        #expect(
            lines == [
                "{", "  \"a\": [", "    1.50e3,", "    [],", "    {},", "    \"x,{\\\"}\\\\\"", "  ],", "  \"b\": {",
                "    \"c\": null", "  },", "  \"d\": []", "}",
            ])
        #expect(PrettyJSON.lines(bytes("{\"a\":")) == nil && PrettyJSON.lines([]) == nil)
        #expect(PrettyJSON.lines(bytes("7")) == ["7"])
    }
}

extension Treemap.Rectangle {
    fileprivate func overlaps(_ other: Treemap.Rectangle) -> Bool {
        let across = min(x + width, other.x + other.width) - max(x, other.x)
        let down = min(y + height, other.y + other.height) - max(y, other.y)
        return across > 0.01 && down > 0.01
    }
}

/// SplitMix64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
