// Proves that an object is split into members, changed and written back with its spelling.

import LarderJSON
import Testing

@Suite struct `The members of a JSON object` {
    private func members(_ text: String) throws -> JSONMembers { try #require(JSONMembers(Array(text.utf8))) }

    private func text(_ members: JSONMembers) -> String { String(decoding: members.text, as: UTF8.self) }

    @Test(arguments: [
        ("{}", "{}"), (" { } ", "{}"), (#"{"a":1.50,"b":[1, 2]}"#, #"{"a":1.50,"b":[1, 2]}"#),
        (#"{ "a" : "x" , "\u0062" : {"c" : null} }"#, #"{"a":"x","\u0062":{"c" : null}}"#),
        (#"{"a":1,"\u0061":2,"b":3}"#, #"{"a":1,"b":3}"#),
    ])
    func `are written back as they were spelled, and of one name the first`(given: String, wanted: String) throws {
        #expect(text(try members(given)) == wanted)
    }

    @Test(arguments: ["", "[]", "1", "null", "{", "{\"a\":}", "{\"a\":1,}", "{\"a\":1}x", "{a:1}", "{\"a\" 1}"])
    func `are none where there is no object`(text: String) {
        #expect(JSONMembers(Array(text.utf8)) == nil)
    }

    @Test func `are none where the text is no UTF-8`() {
        #expect(JSONMembers([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == nil)
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, JSONError.Reason.repeatedName, 7), (#"{"a":1,"\u0061":2}"#, .repeatedName, 7),
        ("[]", .noObject, 0), (" 1 ", .noObject, 1), ("", .unexpectedEnd, 0), ("{} {}", .trailingBytes, 3),
        (#"{"a":"\ud800"}"#, .loneSurrogate, 12), (#"{"a":01}"#, .invalidNumber, 6),
    ])
    func `are refused with a reason and a place where each name has to be there once`(
        text: String, reason: JSONError.Reason, offset: Int64
    ) {
        let bytes = bytes(text)
        #expect(throws: JSONError(reason, at: offset)) { try JSONMembers(bytes.span) }
    }

    @Test func `are found by name, and read`() throws {
        let text = bytes(
            #" {"a" : [1, {"b": null}] , "\u00e9\n":-1.5e+3, "c":"\u0041", "d":7, "e":9223372036854775808 } "#)
        let members = try JSONMembers(text.span)
        #expect(members.members.map { String(decoding: $0.name, as: UTF8.self) } == ["a", "é\n", "c", "d", "e"])
        #expect(members["a"]?.value == bytes(#"[1, {"b": null}]"#))
        #expect(members["a"]?.decoded == .array(0..<16))
        #expect(members["é\n"]?.decoded == .real(-1500))
        #expect(members["c"]?.decoded == .string("A"))
        #expect(members["d"]?.decoded == .integer(7))
        #expect(members["e"]?.decoded == .real(9_223_372_036_854_775_808))
        #expect(members["f"] == nil)
    }

    @Test func `are replaced in place, appended, and removed`() throws {
        var object = try members(#"{"a":1,"b":2}"#)
        let other = try members(#"{"b":[3],"c":4}"#)
        for member in other.members { object.put(member) }
        #expect(text(object) == #"{"a":1,"b":[3],"c":4}"#)
        object.remove(Array("a".utf8))
        object.remove(Array("z".utf8))
        #expect(text(object) == #"{"b":[3],"c":4}"#)
        #expect(object[Array("a".utf8)] == nil)
    }

    @Test func `are the same when only white space between their parts differs`() throws {
        let object = try members(#"{"a":{"x":[1, "b c"]},"b":{"x":[1,"b c"]},"c":{"x":[1,"bc"]},"d":1,"e":1.0}"#)
        let named = { (name: String) in object[Array(name.utf8)] }
        #expect(JSONMembers.isSame(named("a"), named("b")))
        #expect(!JSONMembers.isSame(named("b"), named("c")))
        #expect(!JSONMembers.isSame(named("d"), named("e")))
        #expect(!JSONMembers.isSame(named("d"), nil))
        #expect(JSONMembers.isSame(nil, nil))
    }
}
