// Proves that entity tags are parsed and compared as in RFC 9110.

import Testing

@testable import LarderHTTP

@Suite struct `An entity tag` {
    private func tag(_ text: String) -> EntityTag? { EntityTag(Array(text.utf8)) }

    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true),
    ])
    func `is compared as in the table of RFC 9110`(one: String, other: String, isStrong: Bool, isWeak: Bool) throws {
        let one = try #require(tag(one))
        let other = try #require(tag(other))
        #expect(one.matchesStrongly(other) == isStrong)
        #expect(one.matchesWeakly(other) == isWeak)
        #expect(other.matchesWeakly(one) == isWeak)
    }

    @Test func `without quotes is itself and proves nothing`() throws {
        let bare = try #require(tag("abcdef"))
        let quoted = try #require(tag("\"abcdef\""))
        #expect(bare.isWeak)
        #expect(bare.matchesWeakly(bare))
        #expect(!bare.matchesWeakly(quoted))
        #expect(tag("w/\"a\"")?.matchesWeakly(quoted) == false)
        #expect(tag("") == nil)
    }

    @Test func `is found in a list, commas inside quotes and all`() {
        let list = EntityTagList(Array("\"a,b\" , W/\"c\",, plain, \"\\\", \"open".utf8))
        guard case .tags(let tags) = list else { return #expect(Bool(false)) }
        let texts = tags.map { String(decoding: $0.text, as: UTF8.self) }
        #expect(texts == ["\"a,b\"", "W/\"c\"", "plain", "\"\\\"", "\"open"])
        #expect(list.matches(EntityTag(Array("\"c\"".utf8))))
        #expect(!list.matches(nil))
        #expect(EntityTagList(Array(" * ".utf8)).matches(nil))
    }
}
