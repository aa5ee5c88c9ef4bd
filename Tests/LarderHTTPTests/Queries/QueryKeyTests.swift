// Proves that query keys are compared by value, kind and prefix.

import LarderHTTP
import Testing

@Suite struct `A query key` {
    @Test func `is the same whatever the order of members`() {
        let left: QueryKey = ["outlets", ["page": 2, "city": "Köln"]]
        let right: QueryKey = ["outlets", ["city": "Köln", "page": 2]]
        #expect(left == right)
        #expect(Set([left, right]).count == 1)
    }

    @Test func `has the texts of variables among its literals`() {
        let outlet = "7"
        #expect(["visits", "\(outlet)"] as QueryKey == ["visits", "7"])
    }

    @Test func `is another when one part is of another kind or spelling`() {
        #expect(QueryKey([.integer(1)]) != QueryKey([.real(1)]))
        #expect(QueryKey([.integer(1)]) != QueryKey([.text("1")]))
        #expect(QueryKey([.text("e\u{301}")]) != QueryKey([.text("é")]))
        #expect(QueryKey(["a", "b"]) != QueryKey(["a,\"b"]))
        #expect(QueryKey([["a", "b"]]) != QueryKey([["a"], ["b"]]))
    }

    @Test func `begins with the keys of its first parts and no other`() {
        let key: QueryKey = ["outlets", 12]
        #expect(key.hasPrefix([]))
        #expect(key.hasPrefix(["outlets"]))
        #expect(key.hasPrefix(["outlets", 12]))
        #expect(!key.hasPrefix(["outlet"]))
        #expect(!key.hasPrefix(["outlets", 1]))
        #expect(!key.hasPrefix(["outlets", 12, 3]))
    }
}
