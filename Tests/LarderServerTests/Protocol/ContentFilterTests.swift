// Proves that a filter matches what it names and refuses invalid text.

import LarderServer
import Testing

@Suite struct `A filter` {
    @Test(arguments: [
        ("translations:6,1,6", "translations:1,6"), ("translations:10,9,1", "translations:1,9,10"),
        ("translations:*;tafsirs:*", "tafsirs:*;translations:*"), ("translations:1,*,6", "translations:*"),
        ("translations:6;translations:1", "translations:1,6"), ("translations:6;translations:*", "translations:*"),
        ("b:1;B:1;a:1", "B:1;a:1;b:1"), ("articles:9223372036854775807", "articles:9223372036854775807"),
    ]) func `has one canonical text`(text: String, canonical: String) {
        #expect(ContentFilter(text)?.description == canonical)
        #expect(ContentFilter(canonical)?.description == canonical)
        #expect(ContentFilter(text) == ContentFilter(canonical))
    }

    @Test(arguments: [
        "", ";", "translations", "translations:", "translations:1;", ";translations:1", "translations:0",
        "translations:-1", "translations:+1", "translations:01", "translations:1,,2", "translations:a", ":1",
        "translations:1:2", "translations:9223372036854775808", "trans lations:1", "a/b:1", "..:1", "t:**", "t: 1",
        "\u{e9}:1", String(repeating: "a", count: 65) + ":1",
    ]) func `refuses what is none`(text: String) {
        #expect(ContentFilter(text) == nil)
    }

    @Test func `refuses a text that would not fit into a URL`() {
        #expect(ContentFilter("t:" + String(repeating: "1,", count: 5000) + "1") == nil)
    }

    @Test func `matches what it names and nothing else`() throws {
        let filter = try #require(ContentFilter("tafsirs:*;translations:1,6"))
        #expect(filter.matches(.init("tafsirs", 77)))
        #expect(filter.matches(.init("translations", 6)))
        #expect(!filter.matches(.init("translations", 7)))
        #expect(!filter.matches(.init("articles", 1)))
    }
}
