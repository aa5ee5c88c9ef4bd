// Proves which texts the scanner accepts, why it refuses others and where, and that its limits hold.

import LarderJSON
import Testing

@Suite struct `A JSON scanner` {
    @Test func `reports each token with its decoded text`() throws {
        let seen = try tokens(#" {"a":[1,-2.5e+3,true,false,null],"bé":"x\n\u0627\ud83d\ude00"} "#)
        let expected: [(JSONToken, String)] = [
            (.objectBegin, ""), (.name, "a"), (.arrayBegin, ""), (.number, "1"), (.number, "-2.5e+3"), (.true, ""),
            (.false, ""), (.null, ""), (.arrayEnd, ""), (.name, "bé"), (.string, "x\nا😀"), (.objectEnd, ""),
        ]
        #expect(seen == expected.map { ScannedToken(token: $0.0, text: Array($0.1.utf8)) })
    }

    @Test(arguments: ["1", " 0 ", "-0", "1e5", "\"\"", "true", "null", "[]", "{}", "[[],{}]", "{\"\":{}}"])
    func `accepts every kind of value as the whole text`(text: String) {
        #expect(refusal(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("", JSONError.Reason.unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1),
        ("{\"a\"", .unexpectedEnd, 4), ("\"a", .unexpectedEnd, 2), ("tru", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1),
        ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
        ("\"\\u00", .unexpectedEnd, 5), ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1),
        ("{,}", .unexpectedByte, 1), ("{\"a\":1,}", .unexpectedByte, 7), ("{1:2}", .unexpectedByte, 1),
        ("{\"a\" 1}", .unexpectedByte, 5), ("[1 2]", .unexpectedByte, 3), ("[}", .unexpectedByte, 1),
        ("{]", .unexpectedByte, 1), ("[1}", .unexpectedByte, 2), ("nul1", .unexpectedByte, 3),
        ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
        ("/**/1", .unexpectedByte, 0), ("\u{FEFF}1", .unexpectedByte, 0), ("1 2", .trailingBytes, 2),
        ("{}x", .trailingBytes, 2), ("01", .invalidNumber, 1), ("[-]", .invalidNumber, 2),
        ("[1.]", .invalidNumber, 3), ("[.5]", .unexpectedByte, 1), ("[+1]", .unexpectedByte, 1),
        ("[1e]", .invalidNumber, 3), ("[1.2.3]", .invalidNumber, 4), ("[1-2]", .invalidNumber, 2),
        ("\"\\x\"", .invalidEscape, 2), ("\"\\u12g4\"", .invalidEscape, 5), ("\"\n\"", .controlCharacter, 1),
        ("\"\u{0}\"", .controlCharacter, 1), ("\"\\ud800\"", .loneSurrogate, 7), ("\"\\udc00\"", .loneSurrogate, 6),
        ("\"\\ud800\\u0041\"", .loneSurrogate, 12), ("\"\\ud800\\n\"", .loneSurrogate, 8),
        ("\"\\ud800\\ud800\"", .loneSurrogate, 12),
    ])
    func `refuses what is no JSON and says why and where`(text: String, reason: JSONError.Reason, offset: Int64) {
        #expect(refusal(Array(text.utf8)) == JSONError(reason, at: offset))
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3, 0x28],
            [0xE2, 0x82, 0x28], [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98, 0x28], [0xC3],
        ] as [[UInt8]])
    func `refuses bytes in a string that are not UTF-8, however they are split`(bytes: [UInt8]) {
        let text = [0x22] + bytes + [0x22]
        #expect(refusal(text)?.reason == .invalidUTF8)
        #expect(throws: JSONError.self) { try tokens(text.map { [$0] }) }
    }

    @Test func `every Unicode scalar survives, escaped and not`() throws {
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            let expected = Array(String(scalar).utf8)
            let raw = try tokens([[0x22] + expected + [0x22]])
            guard raw == [ScannedToken(token: .string, text: expected)] else {
                Issue.record("scalar \(value)")
                return
            }
        }
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let units = String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            #expect(
                try tokens("\"\(units.joined())\"") == [ScannedToken(token: .string, text: Array(String(scalar).utf8))])
        }
    }

    @Test func `nesting is bounded`() {
        let text = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(refusal(text(128)) == nil)
        #expect(refusal(text(129)) == JSONError(.tooDeep, at: 128))
        #expect(refusal(text(4), limits: JSONLimits(depth: 3)) == JSONError(.tooDeep, at: 3))
        #expect(refusal(Array(String(repeating: "[{\"a\":", count: 64).utf8)) == JSONError(.unexpectedEnd, at: 384))
    }

    @Test func `captured text and the whole text are bounded`() {
        let limits = JSONLimits(text: 3)
        #expect(refusal(Array("\"abc\"".utf8), limits: limits) == nil)
        #expect(refusal(Array("\"abcd\"".utf8), limits: limits) == JSONError(.textTooLong, at: 4))
        #expect(refusal(Array("\"abc\\n\"".utf8), limits: limits) == JSONError(.textTooLong, at: 5))
        #expect(refusal(Array("1234".utf8), limits: limits) == JSONError(.textTooLong, at: 3))
        // In chunks the place is the same.
        let chunks = ["\"ab", "cd\""].map { Array($0.utf8) }
        #expect(throws: JSONError(.textTooLong, at: 4)) { try tokens(chunks, limits: limits) }
        #expect(refusal(Array("[1,2]".utf8), limits: JSONLimits(document: 4))?.reason == .documentTooLong)
    }

    @Test func `what lies beyond the quiet depth is checked and not reported`() throws {
        var scanner = JSONScanner(limits: JSONLimits(text: 4))
        scanner.maxReportedDepth = 1
        let text = Array(#"{"a":{"longer name":["long value"]},"b":[[1],2],"c":3}"#.utf8)
        var position = 0
        var seen: [JSONToken] = []
        while let token = try scanner.next(in: text.span, at: &position) { seen.append(token) }
        #expect(
            seen == [
                .objectBegin, .name, .objectBegin, .objectEnd, .name, .arrayBegin, .arrayEnd, .name, .number,
                .objectEnd,
            ])
        var broken = JSONScanner()
        broken.maxReportedDepth = 0
        #expect(throws: JSONError(.unexpectedByte, at: 2)) {
            var position = 0
            while try broken.next(in: Array("[[,]]".utf8).span, at: &position) != nil {}
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil), ("", nil),
            ("-", nil),
            ("123456789012345678901234567890", nil),
        ] as [(String, Int64?)])
    func `an integer is exact or none`(text: String, value: Int64?) {
        #expect(Int64(jsonNumber: Array(text.utf8)) == value)
    }
}
