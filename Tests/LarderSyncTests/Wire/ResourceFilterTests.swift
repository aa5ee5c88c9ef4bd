// Proves that a filter has one canonical text, and that malformed ones are refused with a reason.

import LarderSync
import Testing

@Suite struct `A resource filter` {
    @Test(arguments: [
        ("translations:6,1,6", "translations:1,6"), ("translations:1,19;tafsirs:*", "tafsirs:*;translations:1,19"),
        ("b:2;a:10,9;b:1", "a:9,10;b:1,2"), ("a:1;a:*;a:2", "a:*"), ("a:*;a:*", "a:*"),
        ("Z:1;a:1;é:1", "Z:1;a:1;é:1"), ("a:9223372036854775807", "a:9223372036854775807"),
        ("word_by_word:1;word:1", "word:1;word_by_word:1"), ("e\u{301}:1;\u{E9}:1", "e\u{301}:1;\u{E9}:1"),
    ])
    func `has one canonical text`(text: String, canonical: String) throws {
        let filter = try ResourceFilter(text)
        #expect(Array(filter.description.utf8) == Array(canonical.utf8))
        #expect(try ResourceFilter(canonical) == filter)
    }

    @Test(arguments: [
        ("", ResourceFilter.Fault.emptyItem), (";", .emptyItem), ("a:1;", .emptyItem), (";a:1", .emptyItem),
        ("a", .missingGroup), (":1", .missingGroup), ("*", .missingGroup), ("a:", .missingID), ("a:1,", .missingID),
        ("a:,1", .missingID), ("a b:1", .invalidGroup), ("a*:1", .invalidGroup), ("a,b:1", .invalidGroup),
        ("a\n:1", .invalidGroup), (" a:1", .invalidGroup), ("a:0", .invalidID), ("a:01", .invalidID),
        ("a:-1", .invalidID), ("a:+1", .invalidID), ("a: 1", .invalidID), ("a:1,*", .invalidID), ("a:**", .invalidID),
        ("a:1:2", .invalidID), ("a:9223372036854775808", .invalidID), ("a:١", .invalidID),
    ])
    func `of another form is refused with the reason`(text: String, fault: ResourceFilter.Fault) {
        #expect(throws: fault) { try ResourceFilter(text) }
    }

    @Test func `covers the resources it names`() throws {
        let filter = ResourceFilter("tafsirs:*;translations:1,19,20,400;\u{E9}:*")
        for id in [Int64(1), 19, 20, 400] { #expect(filter.matches(group: "translations", id: id)) }
        for id in [Int64.min, 0, 2, 21, 401, .max] { #expect(!filter.matches(group: "translations", id: id)) }
        #expect(filter.matches(group: "tafsirs", id: .max) && !filter.matches(group: "tafsir", id: 1))
        #expect(filter.matches(group: "\u{E9}", id: 1) && !filter.matches(group: "e\u{301}", id: 1))
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `means the same in any order of its parts`(seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<50 {
            var items = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                let group = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let ids = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    "\(Int.random(in: 1...9, using: &random))"
                }
                return "\(group):\(ids.isEmpty ? "*" : ids.joined(separator: ","))"
            }
            let filter = try ResourceFilter(items.joined(separator: ";"))
            let singles = try items.map { item throws in try ResourceFilter(item) }
            items.shuffle(using: &random)
            #expect(try ResourceFilter(items.joined(separator: ";")) == filter, "seed \(seed)")
            for group in ["a", "b", "c", "d"] {
                for id in Int64(0)...10 where singles.contains(where: { $0.matches(group: group, id: id) }) {
                    #expect(filter.matches(group: group, id: id), "seed \(seed)")
                }
            }
        }
    }
}
