import Foundation
import LarderServer
import Testing

@Suite struct `A JSON reader` {
    private func names(_ text: String) throws -> [String] { try JSONReader.members(of: Array(text.utf8)).map(\.name) }

    @Test func `finds the members of an object and where their values lie`() throws {
        let bytes = Array(#" {"a" : [1, {"b": null}] , "\u00e9\n":-1.5e+3 } "#.utf8)
        let members = try JSONReader.members(of: bytes)
        #expect(members.map(\.name) == ["a", "é\n"])
        #expect(members.map { String(decoding: bytes[$0.value], as: UTF8.self) } == [#"[1, {"b": null}]"#, "-1.5e+3"])
    }

    @Test(arguments: [
        "", "[]", "1", "{", "{}x", "{} {}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{,}", #"{"a":01}"#, #"{"a":+1}"#,
        #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":tru}"#, #"{"a":"\x"}"#, #"{"a":"\ud800"}"#,
        #"{"a":"\udc00"}"#, #"{"a":"\u12"}"#, "{\"a\":\"\n\"}", #"{"a":[1,]}"#, #"{"a":[1 2]}"#, #"{"a":1,"a":2}"#,
        #"{"a":NaN}"#, #"{'a':1}"#, #"{"a":"b"#,
    ]) func `refuses what is no object of RFC 8259`(text: String) {
        #expect(throws: JSONProblem.self) { try names(text) }
    }

    @Test func `refuses bytes that are no UTF-8`() {
        #expect(throws: JSONProblem.self) { try JSONReader.members(of: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) }
    }

    @Test func `refuses what nests too deeply for any stack`() throws {
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(try names(nested(100)) == ["a"])
        #expect(throws: JSONProblem.self) { try names(nested(100_000)) }
    }

    @Test(arguments: ["plain", "quo\"te", "back\\slash", "\n\r\t\u{1}\u{1F}", "é", "😀", "a/b", "\u{2028}"])
    func `a string written is the string read`(text: String) throws {
        let body = OriginProblem(status: 500, message: text).body
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(object["message"] as? String == text)
        let members = try JSONReader.members(of: body)
        #expect(JSONReader.string(in: body, at: members[0].value) == text)
    }

    @Test(arguments: [("7", 7), ("-7", -7), ("9223372036854775807", Int64.max)])
    func `an integer is read whole`(text: String, value: Int64) {
        let bytes = Array(text.utf8)
        #expect(JSONReader.integer(in: bytes, at: 0..<bytes.count) == value)
    }

    @Test(arguments: ["9223372036854775808", "1.0", "1e3", "null", "\"1\""])
    func `nothing else passes for an integer`(text: String) {
        let bytes = Array(text.utf8)
        #expect(JSONReader.integer(in: bytes, at: 0..<bytes.count) == nil)
    }
}
