// Proves that index values are extracted from JSON as SQLite types them, and that any damage gives null without a trap.

import LarderFormat
import LarderJSON
import Testing

@testable import LarderStore

@Suite struct `Values out of a JSON payload` {
    private func values(_ paths: [String], _ text: String) -> [IndexValue] {
        let extractor = JSONExtractor(paths.map { JSONPath($0)! })
        let payload = Array(text.utf8)
        return extractor.values(of: payload.rawSpan, codec: .json)
    }

    private func value(_ path: String, _ text: String) -> IndexValue { values([path], text)[0] }

    /// Distinguishes more than `==` does: 1 is not 1.0 here.
    private func spelled(_ value: IndexValue) -> String { value.description }

    @Test(arguments: [
        ("1", "1"), ("-0", "0"), ("-7", "-7"), ("1.0", "1.0"), ("1e2", "100.0"), ("0.5", "0.5"),
        ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "9.223372036854776e+18"),
        ("-9223372036854775808", "-9223372036854775808"), ("-9223372036854775809", "-9.223372036854776e+18"),
        ("9007199254740993", "9007199254740993"), ("9007199254740993.0", "9007199254740992.0"), ("1e999", "inf"),
        ("true", "1"), ("false", "0"), ("null", "NULL"), ("\"\"", "''"), ("\"a\\u0041\\n\\\"\"", "'aA\n\"'"),
        ("\"\\ud83d\\ude00\"", "'😀'"), ("\"\\ud83d\"", "'\u{FFFD}'"), ("\"\\ud83dx\"", "'\u{FFFD}x'"),
        ("\"\\ud83d\\u0041\"", "'\u{FFFD}A'"), ("\"\\u0000\"", "'\0'"),
        ("{ \"b\" : [ 1 , \" x \\\" \" ] }", "'{\"b\":[1,\" x \\\" \"]}'"), ("[ ]", "'[]'"),
    ])
    func `are typed as SQLite types them`(json: String, expected: String) {
        #expect(spelled(value("$", json)) == expected)
        #expect(spelled(value("$.a", " { \"z\" : [ { } , [ 1 ] ] , \"a\" : \(json) , \"y\" : 2 } ")) == expected)
        #expect(spelled(value("$[1]", "[{\"a\":[]}, \(json)]")) == expected)
    }

    @Test func `are found by members and elements, many in one pass`() {
        let text = #"{"a":{"b":[10,{"c":"deep"}],"b c":2},"é":3,"":4,"A":5}"#
        let paths = ["$.a.b[1].c", "$.a.\"b c\"", "$.é", "$.\"\"", "$.a.b[0]", "$.a.b", "$.missing", "$.a.b[2]", "$.A"]
        #expect(
            values(paths, text) == [
                .text("deep"), .integer(2), .integer(3), .integer(4), .integer(10), .text(#"[10,{"c":"deep"}]"#), .null,
                .null, .integer(5),
            ])
    }

    @Test func `come from the first of members with one name`() {
        #expect(values(["$.a", "$.b.c"], #"{"a":1,"a":2,"b":3,"b":{"c":4}}"#) == [.integer(1), .null])
    }

    @Test func `are found under names spelled with escapes`() {
        #expect(value("$.ab", #"{"a\u0062":1}"#) == .integer(1))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01", "1.", ".5", "-", "+1", "1e", "tru",
        "nul", "truex", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\u{1}\"", "[1] 2", "{\"a\":1}}", "[1}", "{\"a\":1]", "NaN",
    ])
    func `are all null where the payload is no JSON`(text: String) {
        #expect(values(["$", "$.a", "$[0]"], text) == [.null, .null, .null])
    }

    @Test func `are null for bytes that are not UTF-8, and for other codecs`() {
        let extractor = JSONExtractor([JSONPath("$")!])
        let broken: [UInt8] = [0x22, 0xFF, 0x22]
        #expect(extractor.values(of: broken.rawSpan, codec: .json) == [.null])
        #expect(extractor.values(of: Array("1".utf8).rawSpan, codec: .opaque) == [.null])
        #expect(extractor.values(of: Array("1".utf8).rawSpan, codec: .application(16)) == [.null])
    }

    @Test func `nest a thousand deep and no deeper`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(value("$", nested(1000)) == .text(nested(1000)))
        #expect(value("$", nested(1001)) == .null)
        #expect(value("$[0]", nested(1000)) == .text(nested(999)))
        #expect(value("$[0]", nested(1001)) == .null)
        #expect(value("$", nested(100_000)) == .null)
    }

    @Test func `are null for every beginning of a payload`() {
        let text = Array(#" {"a":[1,-2.5e+3,"xé\u00e9\\",true,null,{"b":false}],"c":"d"}"#.utf8)
        let extractor = JSONExtractor(["$.a", "$.a[5].b", "$.c"].map { JSONPath($0)! })
        for length in 0..<text.count {
            let part = Array(text[..<length])
            let found = extractor.values(of: part.rawSpan, codec: .json)
            #expect(found == [.null, .null, .null], "\(length)")
        }
        #expect(extractor.values(of: text.rawSpan, codec: .json) != [.null, .null, .null])
    }

    @Test func `are a value or null, and never trap, for any changed byte`() {
        let text = Array(#"{"a":[1,"\u00e9"],"c":{"d":-1.5}}"#.utf8)
        let extractor = JSONExtractor(["$.a[1]", "$.c.d"].map { JSONPath($0)! })
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                #expect(extractor.values(of: changed.rawSpan, codec: .json).count == 2)
            }
        }
    }
}

/// Most objects are read without the state of a scanner; one that lies in an array is read by the scanner.
@Suite struct `Values out of a plainly spelled object` {
    private static let paths = ["$", "$.a", "$.b", "$.b.a", "$.a.b.c", "$.a[1]", "$.\"c d\"", "$.é"]

    private struct TextGenerator {
        var random: SeededGenerator

        mutating func object(_ depth: Int) -> String {
            let members = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                let name = pick(["\"a\"", "\"b\"", "\"c d\"", "\"é\"", "\"\\u0061\"", "\"\""])
                return space() + name + space() + ":" + space() + value(depth - 1) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        }

        private mutating func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &random) {
            case 0: return pick(["null", "true", "false"])
            case 1: return pick(["0", "-0", "7", "-12", "1.5", "-2e3", "123456789012345678", "-1234567890123456789"])
            case 2: return pick(["9223372036854775807", "-9223372036854775808", "9223372036854775808", "1E999"])
            case 3...6:
                let parts = [
                    "a", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d", "\\ude00", "\\u0000",
                    "longer words ",
                ]
                return "\"" + (0..<Int.random(in: 0..<6, using: &random)).map { _ in pick(parts) }.joined() + "\""
            case 7: return "[" + value(depth - 1) + space() + "," + value(depth - 1) + "]"
            default: return object(depth)
            }
        }

        private mutating func space() -> String { pick(["", "", "", " ", "\n\t"]) }

        private mutating func pick(_ elements: [String]) -> String {
            elements[Int.random(in: elements.indices, using: &random)]
        }
    }

    @Test(arguments: UInt64(1)...8)
    func `are those that a scanner reads, also where a byte is changed`(seed: UInt64) {
        let extractor = JSONExtractor(Self.paths.map { JSONPath($0)! })
        let inArray = JSONExtractor(Self.paths.map { JSONPath("$[0]" + $0.dropFirst())! })
        var maker = TextGenerator(random: SeededGenerator(seed: seed))
        var found = 0
        for round in 0..<600 {
            var text = Array(maker.object(4).utf8)
            if round.isMultiple(of: 3) {
                let place = Int.random(in: 1..<text.count, using: &maker.random)
                text[place] = pickedByte(&maker.random)
            }
            let array = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
            let values = extractor.values(of: text.rawSpan, codec: .json).map(\.description)
            let expected = inArray.values(of: array.rawSpan, codec: .json).map(\.description)
            let plain = String(decoding: text, as: UTF8.self)
            #expect(values == expected, "seed \(seed), round \(round): \(plain) \(text)")
            #expect((values[0] != "NULL") == isAccepted(text), "seed \(seed), round \(round): \(plain) \(text)")
            if values[0] != "NULL" { found += 1 }
        }
        #expect(found > 300, "seed \(seed): \(found) with values")
    }

    /// Whether the scanner accepts a text, token by token.
    private func isAccepted(_ text: [UInt8]) -> Bool {
        do throws(JSONError) {
            var reader = JSONReader(text.rawSpan.bytes, limits: .stored)
            var depth = 0
            repeat {
                switch try reader.token() {
                case .objectBegin, .arrayBegin: depth += 1
                case .objectEnd, .arrayEnd: depth -= 1
                default: break
                }
            } while depth > 0
            try reader.finish()
            return true
        } catch {
            return false
        }
    }

    /// A byte that often matters; a comma could end the object within the array.
    private func pickedByte(_ random: inout SeededGenerator) -> UInt8 {
        let bytes = Array("\"\\:{}[]u0e-. \n\u{1}".utf8) + [0x80, 0xC2, 0xE2, 0xED, 0xF0, 0xFF]
        return bytes[Int.random(in: bytes.indices, using: &random)]
    }

    @Test func `are read however deep the object is nested`() {
        for depth in [1, 15, 16, 17, 18, 40] {
            let text = String(repeating: #"{"a":"#, count: depth) + "7" + String(repeating: "}", count: depth)
            let path = "$" + String(repeating: ".a", count: depth)
            let extractor = JSONExtractor([JSONPath(path)!, JSONPath("$.b")!])
            #expect(extractor.values(of: Array(text.utf8).rawSpan, codec: .json) == [.integer(7), .null], "\(depth)")
        }
    }
}

@Suite struct `A path into JSON` {
    @Test(arguments: [
        "", "a", ".a", "$a", "$.", "$..a", "$[", "$[]", "$[a]", "$[-1]", "$[#-1]", "$.\"a", "$.a[99999999999]",
    ])
    func `is refused when it is malformed`(text: String) {
        #expect(JSONPath(text) == nil)
    }

    @Test func `is the same in quotes`() {
        #expect(JSONPath("$.a") == JSONPath("$.\"a\""))
        #expect(JSONPath("$.a") != JSONPath("$.b"))
    }

    @Test func `has at most 64 steps`() {
        #expect(JSONPath("$" + String(repeating: ".a", count: 64)) != nil)
        #expect(JSONPath("$" + String(repeating: ".a", count: 65)) == nil)
    }
}
