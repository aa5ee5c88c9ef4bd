// Proves that a text in memory is read value by value, to any depth that is allowed, and that strings survive writing.

import Foundation
import LarderJSON
import Testing

@Suite struct `A JSON text in memory` {
    @Test(arguments: [1, UInt64.random(in: 2 ... .max)])
    func `has its values where the reader says`(seed: UInt64) throws {
        var maker = DocumentGenerator(seed: seed)
        for _ in 0..<400 {
            let text = maker.document()
            var reader = JSONReader(text.span)
            let range = try reader.skipValue()
            try reader.finish()
            let isValue = JSONText.isValue(text.span.extracting(range))
            #expect(isValue, "seed \(seed)")
            let value = JSONValue(text.span)
            switch try #require(value) {
            case .object(let place), .array(let place): #expect(place == range, "seed \(seed)")
            case .string(let string):
                #expect(try tokens([text]) == [ScannedToken(token: .string, text: Array(string.utf8))])
            case .null, .boolean, .integer, .real: break
            }
        }
    }

    @Test(arguments: [1, UInt64.random(in: 2 ... .max)])
    func `is skipped where it is accepted, and refused as by the scanner`(seed: UInt64) throws {
        var maker = DocumentGenerator(seed: seed)
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<2000 {
            let (first, second) = (maker.document(), maker.document())
            var text = bytes(#"{ "a" :"#) + first + bytes(#", "b":"#) + second + bytes("}")
            if Bool.random(using: &random) {
                let other = bytes("\"\\{}[],:0159.eE+-tfn \u{1}\u{7F}\u{E9}").randomElement(using: &random)
                text[Int.random(in: text.indices, using: &random)] = other ?? 0
            }
            let found = Result { () throws(JSONError) in try skipMembers(of: text) }
            switch found {
            case .success(let place):
                #expect(refusal(text) == nil, "seed \(seed)")
                let isValue = place.map { JSONText.isValue(text.span.extracting($0)) }
                #expect(isValue != false, "seed \(seed)")
            case .failure(let error):
                refused += 1
                #expect(refusal(text) == error, "seed \(seed)")
            }
        }
        #expect(refused > 200)
    }

    /// Skips the first value of an object and then the rest, and returns the place of that value; nil without any.
    private func skipMembers(of text: [UInt8]) throws(JSONError) -> Range<Int>? {
        var reader = JSONReader(text.span)
        guard try reader.token() == .objectBegin else {
            throw refusal(text) ?? JSONError(.noObject, at: 0)
        }
        guard try reader.nextName() else {
            try reader.finish()
            return nil
        }
        let place = try reader.skipValue()
        try reader.skipRest()
        try reader.finish()
        return place
    }

    @Test(arguments: [1, UInt64.random(in: 2 ... .max)])
    func `closes what it opened, however deep`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for depth in [1, 2, 63, 64, 65, 66, 127, 128, 129, 130, 400, 1000] {
            let kinds = (0..<depth).map { _ in Bool.random(using: &generator) }
            var text = kinds.flatMap { Array(($0 ? #"{"":"# : "[").utf8) } + [UInt8(ascii: "1")]
            let end = text.count
            text += kinds.reversed().map { $0 ? UInt8(ascii: "}") : UInt8(ascii: "]") }
            #expect(refusal(text, limits: .stored) == nil, "seed \(seed), depth \(depth)")
            let wrong = Int.random(in: end..<text.count, using: &generator)
            text[wrong] = text[wrong] == UInt8(ascii: "}") ? UInt8(ascii: "]") : UInt8(ascii: "}")
            #expect(refusal(text, limits: .stored) == JSONError(.unexpectedByte, at: Int64(wrong)), "seed \(seed)")
        }
        let deep = Array(repeating: UInt8(ascii: "["), count: 1001)
        #expect(refusal(deep, limits: .stored) == JSONError(.tooDeep, at: 1000))
    }

    @Test(arguments: [
        (#"\ud83d"#, "\u{FFFD}"), (#"\udc00"#, "\u{FFFD}"), (#"\ud83dx"#, "\u{FFFD}x"), (#"\ud83d\n"#, "\u{FFFD}\n"),
        (#"\ud83d\u0041"#, "\u{FFFD}A"), (#"\ud83d\ud83d"#, "\u{FFFD}\u{FFFD}"),
        (#"\ud83d\ud83d\ude00"#, "\u{FFFD}😀"), (#"\udc00\ud83d\ude00"#, "\u{FFFD}😀"),
    ])
    func `may name half a surrogate pair where it is stored already, however it is split`(text: String, read: String)
        throws
    {
        let text = bytes("\"\(text)\"")
        #expect(refusal(text)?.reason == .loneSurrogate)
        let expected = [ScannedToken(token: .string, text: bytes(read))]
        #expect(try tokens([text], limits: .stored) == expected)
        #expect(try tokens(text.map { [$0] }, limits: .stored) == expected)
    }

    @Test(arguments: [
        "plain", "quo\"te", "back\\slash", "\n\r\t\u{0}\u{1}\u{1F}\u{7F}", "é", "😀", "a/b", "\u{2028}", "",
    ])
    func `holds the strings that were written into it`(text: String) throws {
        var written: [UInt8] = []
        JSONText.append(quoting: text, to: &written)
        let read = JSONValue(written.span)
        #expect(read == .string(text))
        let theirs = try JSONSerialization.jsonObject(with: Data(written), options: .fragmentsAllowed)
        #expect(theirs as? String == text)
    }

    /// A character, and how it is written: with the escapes that JSON requires, and with those of unprintable ones too.
    static let spellings: [(character: String, required: String, printable: String)] = [
        ("\"", #"\""#, #"\""#), ("\\", #"\\"#, #"\\"#), ("\n", #"\n"#, #"\n"#), ("\u{1F}", #"\u001f"#, #"\u001f"#),
        (" ", " ", " "), ("~", "~", "~"), ("\u{7F}", "\u{7F}", #"\u007f"#), ("\u{80}", "\u{80}", #"\u0080"#),
        ("\u{9F}", "\u{9F}", #"\u009f"#), ("\u{A0}", "\u{A0}", "\u{A0}"), ("\u{AD}", "\u{AD}", #"\u00ad"#),
        ("\u{BF}", "\u{BF}", "\u{BF}"), ("\u{C0}", "\u{C0}", "\u{C0}"), ("\u{5FF}", "\u{5FF}", "\u{5FF}"),
        ("\u{600}", "\u{600}", #"\u0600"#), ("\u{7FF}", "\u{7FF}", "\u{7FF}"), ("\u{200E}", "\u{200E}", #"\u200e"#),
        ("\u{2028}", "\u{2028}", #"\u2028"#), ("\u{FEFF}", "\u{FEFF}", #"\ufeff"#), ("😀", "😀", "😀"),
        ("\u{E0001}", "\u{E0001}", #"\udb40\udc01"#),
    ]

    @Test(arguments: spellings)
    func `escapes a character at every place of a string`(character: String, required: String, printable: String) {
        for place in 0...17 {
            let (before, after) = (String(repeating: "a", count: place), String(repeating: "é", count: 17 - place))
            for isPrintable in [false, true] {
                var written: [UInt8] = []
                JSONText.append(
                    quoting: before + character + after + character, escapesFormat: isPrintable, to: &written)
                let spelling = isPrintable ? printable : required
                #expect(written == bytes("\"\(before)\(spelling)\(after)\(spelling)\""))
            }
        }
    }

    @Test(arguments: [
        ("1", true), ("{}", true), ("\" \"", true), ("[ 1 ]", true), ("", false), (" 1", false), ("1 ", false),
        ("{}\n", false), ("{}x", false), ("tru", false), ("01", false),
    ])
    func `is a value and nothing else, or not`(text: String, isValue: Bool) {
        let found = JSONText.isValue(bytes(text).span)
        #expect(found == isValue)
    }
}
