// Proves how row keys are made from the records of each group.

import LarderSync
import Testing

@Suite struct `The content sync row key mapping` {
    private func key(_ group: String, _ members: [String: JSONScalar]) throws(WireError) -> SnapshotRowKey {
        try RowKeyMapping.contentSync.key(group, RecordFields(members))
    }

    @Test(arguments: [
        ("translations", "translation"), ("tafsirs", "tafsir"), ("word_by_word_translations", "word_translation"),
        ("word_by_word_transliterations", "word_transliteration"),
    ])
    func `makes a key of the group's type and the id`(group: String, type: String) throws {
        #expect(try key(group, ["id": .integer(85108)]) == SnapshotRowKey(type: type, key: "85108"))
    }

    @Test func `prefers the row's own type`() throws {
        let members: [String: JSONScalar] = [
            "id": .integer(1), "record_type": .string("verse"), "record_key": .string("k"),
        ]
        #expect(try key("quran_core", members) == SnapshotRowKey(type: "verse", key: "k"))
        #expect(try key("x", ["id": .string("a"), "record_type": .string("t"), "record_key": .null]).key == "a")
    }

    @Test func `names an article's row by article and language`() throws {
        let members: [String: JSONScalar] = ["article_id": .integer(4), "lang": .string("en")]
        #expect(try key("articles", members) == SnapshotRowKey(type: "article_localization", key: "4-en"))
    }

    @Test(
        arguments: [
            ("recitations", ["id": .integer(1)], WireError.unknownGroup),
            ("chapters", ["id": .integer(1)], .unknownGroup),
            ("tafsirs", [:], .noRecordKey(path: "id")), ("tafsirs", ["id": .other], .noRecordKey(path: "id")),
            ("articles", ["lang": .string("en")], .noRecordKey(path: "article_id")),
            ("articles", ["article_id": .integer(4)], .noRecordKey(path: "lang")),
            ("tafsirs", ["record_type": .string(""), "id": .integer(1)], .empty(path: "record_type")),
            (
                "tafsirs", ["record_key": .integer(1), "id": .integer(1)],
                .wrongType(path: "record_key", expected: .string)
            ),
            (
                "tafsirs", ["record_type": .other, "id": .integer(1)],
                .wrongType(path: "record_type", expected: .string)
            ),
        ] as [(String, [String: JSONScalar], WireError)])
    func `never guesses`(group: String, members: [String: JSONScalar], error: WireError) {
        #expect(throws: error) { try key(group, members) }
    }

    @Test func `can be replaced by the host's own`() throws {
        let mapping = RowKeyMapping(capturing: ["slug"]) { (group, fields) throws(WireError) in
            guard case .string(let slug)? = fields["slug"] else { throw .noRecordKey(path: "slug") }
            return SnapshotRowKey(type: group, key: slug)
        }
        #expect(
            try mapping.key("posts", RecordFields(["slug": .string("a")])) == SnapshotRowKey(type: "posts", key: "a"))
    }
}
