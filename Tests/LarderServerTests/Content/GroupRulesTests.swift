// Proves that each group derives row keys and validates rows by its rules.

import LarderServer
import Testing

@Suite struct `A group's rules` {
    private func stored(_ group: String, _ row: Origin.Row) throws -> String {
        let origin = Origin.sample()
        let resource = Origin.ResourceID(group, 1)
        try origin.createResource(resource, rows: [row])
        return try String(decoding: #require(origin.rows(of: resource)).first?.body ?? [], as: UTF8.self)
    }

    @Test(arguments: [
        ("translations", "translation"), ("tafsirs", "tafsir"), ("word_by_word_translations", "word_translation"),
        ("word_by_word_transliterations", "word_transliteration"),
    ]) func `keep the bytes of rows whose group has one type`(group: String, type: String) throws {
        let body = #"{ "id" : 7 , "text":"\u00e9" }"#
        #expect(try stored(group, Origin.Row(type: type, key: "7", body)) == body)
    }

    @Test(arguments: [
        ("recitations", "audio_file"), ("chapter_recitations", "audio_segment"), ("mushafs", "mushaf_page"),
        ("quran_core", "verse"),
    ]) func `put the type into rows whose group has several`(group: String, type: String) throws {
        #expect(
            try stored(group, Origin.Row(type: type, key: "7", #"{"id":7}"#)) == #"{"record_type":"\#(type)","id":7}"#)
        let named = #"{"id":7,"record_type":"\#(type)"}"#
        #expect(try stored(group, Origin.Row(type: type, key: "7", named)) == named)
    }

    @Test func `make an article's key of its id and language`() throws {
        let body = #"{"article_id":3,"language_id":38,"lang":"en","title":"…"}"#
        #expect(try stored("articles", Origin.Row(type: "article_localization", key: "3-en", body)) == body)
        #expect(throws: OriginError.keyNotDerivable(.init("article_localization", "3"))) {
            try stored("articles", Origin.Row(type: "article_localization", key: "3", body))
        }
    }

    @Test func `put type and key into rows of groups nobody knows`() throws {
        #expect(
            try stored("wordnet", Origin.Row(type: "synset", key: "1740", "{}"))
                == #"{"record_type":"synset","record_key":"1740"}"#)
        let row = Origin.Row(type: "sy\"n", key: "1", #"{"record_key":"1","a":1}"#)
        #expect(try stored("wordnet", row) == #"{"record_type":"sy\"n","record_key":"1","a":1}"#)
    }

    @Test func `refuse a row whose name no client could find`() {
        let key = Origin.RowKey("translation", "8")
        #expect(throws: OriginError.keyNotDerivable(key)) {
            try stored("translations", Origin.Row(type: "translation", key: "8", #"{"id":7}"#))
        }
        #expect(throws: OriginError.typeNotDerivable(.init("footnote", "7"))) {
            try stored("translations", Origin.Row(type: "footnote", key: "7", #"{"id":7}"#))
        }
    }

    @Test func `refuse a row that no client could store`() throws {
        let long = Origin.RowKey("thing", String(repeating: "k", count: 256))
        #expect(throws: OriginError.tooLarge(long)) { try stored("things", Origin.Row(long, body: Array("{}".utf8))) }
        let deep = String(repeating: "[", count: 120) + String(repeating: "]", count: 120)
        #expect(throws: OriginError.self) { try stored("things", Origin.Row(type: "a", key: "b", "{\"a\":\(deep)}")) }
    }

    @Test func `refuse a row that names another in its body`() {
        #expect(throws: OriginError.bodyContradictsName(.init("verse", "7"))) {
            try stored("quran_core", Origin.Row(type: "verse", key: "7", #"{"id":7,"record_type":"word"}"#))
        }
    }

    @Test(arguments: ["", "[]", "{", "{}{}", "null", "{\"a\":1,\"a\":2}"])
    func `refuse a body that is no object`(body: String) {
        #expect {
            try stored("wordnet", Origin.Row(type: "a", key: "b", body))
        } throws: {
            if case OriginError.invalidBody = $0 { true } else { false }
        }
    }
}
