// Proves that patches merge as RFC 7396 says, and keep the spelling of what they leave alone.

import Foundation
import LarderJSON
import Testing

@Suite struct `A JSON merge patch` {
    private func merged(_ patch: String, over target: String) throws -> String {
        let patch = try #require(JSONMergePatch(bytes(patch)))
        return String(decoding: patch.merged(over: bytes(target).span), as: UTF8.self)
    }

    /// RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func `gives the results of the RFC's appendix`(target: String, patch: String, result: String) throws {
        #expect(try merged(patch, over: target) == result)
    }

    @Test func `leaves the spelling of numbers and names, and the order of members`() throws {
        let target = #" { "z" : 1.50e+2 , "\u0061" : -0 , "n": 123456789012345678901234567890 } "#
        #expect(
            try merged(#"{"b":2.0,"z":{"q":1E5}}"#, over: target)
                == #"{"z":{"q":1E5},"\u0061":-0,"n":123456789012345678901234567890,"b":2.0}"#)
        #expect(try merged(#"{"a":7}"#, over: target).contains(#""\u0061":7"#))
    }

    @Test func `counts the first of members with one name`() throws {
        #expect(try merged(#"{"a":1,"a":2}"#, over: "{}") == #"{"a":1}"#)
        #expect(try merged(#"{"a":3}"#, over: #"{"a":1,"b":0,"a":2}"#) == #"{"a":3,"b":0}"#)
        #expect(try merged(#"{"a":null}"#, over: #"{"a":1,"b":0,"a":2}"#) == #"{"b":0}"#)
        #expect(try merged(#"{"b":1}"#, over: #"{"a":1,"a":2}"#) == #"{"a":1,"a":2,"b":1}"#)
    }

    @Test(arguments: ["", "{", "plain text", #"{"a":}"#, #"{"a":1}x"#, "\u{0}"])
    func `treats what is no JSON as an empty object`(target: String) throws {
        #expect(try merged(#"{"a":1,"b":null}"#, over: target) == #"{"a":1}"#)
    }

    @Test(arguments: ["", " ", "{", #"{"a"}"#, #"{"a":1,}"#, "nul", "{} {}", "[1,]", "\"a", "01"])
    func `that is no JSON is refused`(patch: String) {
        #expect(JSONMergePatch(bytes(patch)) == nil)
    }

    @Test func `nests 128 deep and no deeper, in rows 1000`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        }
        #expect(JSONMergePatch(bytes(nested(128))) != nil)
        #expect(JSONMergePatch(bytes(nested(129))) == nil)
        #expect(JSONMergePatch(bytes(nested(100_000))) == nil)
        let array = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
        #expect(JSONMergePatch(bytes(array)) == nil)
        #expect(try merged(nested(128), over: nested(1000)) == nested(128))
        #expect(try merged(#"{"b":1}"#, over: nested(1000)).hasPrefix(#"{"a":{"a":"#))
        #expect(try merged(#"{"b":1}"#, over: nested(1001)) == #"{"b":1}"#)
    }

    @Test(arguments: [11, 12, UInt64.random(in: 13 ... .max)])
    func `behaves as a naive model`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<2000 {
            let target = Tree.random(depth: 0, &generator)
            let patch = Tree.random(depth: 0, &generator)
            let found = try merged(patch.text(&generator), over: target.text(&generator))
            #expect(
                found.filter { $0 != " " && $0 != "\n" } == target.patched(by: patch).plain,
                "seed \(seed), round \(round): \(patch.plain) over \(target.plain)")
        }
    }

    @Test(arguments: [21, UInt64.random(in: 22 ... .max)])
    func `of damaged bytes is refused, or makes JSON`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<3000 {
            var patch = bytes(Tree.random(depth: 0, &generator).text(&generator))
            var target = bytes(Tree.random(depth: 0, &generator).text(&generator))
            patch[Int.random(in: patch.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            target[Int.random(in: target.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            guard let merge = JSONMergePatch(patch) else { continue }
            let made = merge.merged(over: target.span)
            #expect(JSONMergePatch(made) != nil, "seed \(seed), round \(round)")
        }
    }

    private func followed(_ first: String, by second: String) throws -> String? {
        let (first, second) = (
            try #require(JSONMergePatch(bytes(first))), try #require(JSONMergePatch(bytes(second)))
        )
        return first.followed(by: second).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
        (#"{"a":1,"b":2}"#, #"{"a":null}"#, #"{"a":null,"b":2}"#),
        (#"{"a":null}"#, #"{"a":[{"b":null}]}"#, #"{"a":[{"b":null}]}"#),
        (#"{"a":{"x":1,"y":null}}"#, #"{"a":{"x":null,"z":{"q":null}}}"#, #"{"a":{"x":null,"y":null,"z":{"q":null}}}"#),
        (#"{"a":{"x":1}}"#, #"{"a":7}"#, #"{"a":7}"#),
        (#"{"a":{"x":null}}"#, "{}", #"{"a":{"x":null}}"#),
        (#"{"\u0061":1.0,"a":5}"#, #"{"a":2e0,"a":6}"#, #"{"\u0061":2e0}"#),
        (#"{"a":1}"#, "null", "null"),
        ("[1]", #"["x"]"#, #"["x"]"#),
    ])
    func `and the next combine into one with the same result`(first: String, second: String, both: String) throws {
        #expect(try followed(first, by: second) == both)
    }

    @Test(arguments: [
        (#"{"a":null}"#, #"{"a":{"b":1}}"#), (#"{"a":1}"#, #"{"a":{}}"#), (#"{"a":[1]}"#, #"{"a":{"b":null}}"#),
        (#"{"o":{"a":"x"}}"#, #"{"o":{"a":{"b":1}}}"#), ("1", "{}"), ("null", #"{"a":1}"#),
    ])
    func `and the next do not combine where the next one makes an object of a non-object`(first: String, second: String)
        throws
    {
        #expect(try followed(first, by: second) == nil)
    }

    @Test(arguments: [31, 32, UInt64.random(in: 33 ... .max)])
    func `and the next combine into one with the same result, whatever they are merged with`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var count = 0
        for round in 0..<3000 {
            let (first, second) = (Tree.random(depth: 0, &generator), Tree.random(depth: 0, &generator))
            guard let both = try followed(first.text(&generator), by: second.text(&generator)) else { continue }
            count += 1
            for _ in 0..<3 {
                let target = Tree.random(depth: 0, &generator).text(&generator)
                let inTurn = try merged(second.plain, over: merged(first.plain, over: target))
                #expect(
                    try sorted(merged(both, over: target)) == sorted(inTurn),
                    "seed \(seed), round \(round): \(first.plain) and \(second.plain) over \(target)")
            }
        }
        #expect(count > 1000, "seed \(seed)")
    }

    /// Members in one order: which of two does not matter.
    private func sorted(_ text: String) throws -> Data {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        return try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
    }
}

/// A JSON value as a person would write down what RFC 7396 says of it.
private indirect enum Tree {
    case scalar(String)
    case array([Tree])
    case object([(name: String, value: Tree)])

    private var isNull: Bool {
        if case .scalar("null") = self { true } else { false }
    }

    static func random(depth: Int, _ generator: inout SeededGenerator) -> Tree {
        let count = Int.random(in: 0...4, using: &generator)
        switch Int.random(in: 0..<(depth < 4 ? 8 : 3), using: &generator) {
        case 0, 1: return .scalar(["1", "-0.50", "true", "\"x\"", "1e9"].randomElement(using: &generator) ?? "1")
        case 2: return .scalar("null")
        case 3: return .array((0..<count).map { _ in random(depth: depth + 1, &generator) })
        default:
            let names = ["a", "b", "c", "d"].filter { _ in Bool.random(using: &generator) }
                .shuffled(using: &generator)
            return .object(names.map { ($0, random(depth: depth + 1, &generator)) })
        }
    }

    func patched(by patch: Tree) -> Tree {
        guard case .object(let changes) = patch else { return patch }
        var members: [(name: String, value: Tree)] = []
        if case .object(let own) = self { members = own }
        for (name, value) in changes {
            let place = members.firstIndex { $0.name == name }
            if value.isNull {
                if let place { members.remove(at: place) }
            } else if let place {
                members[place].value = members[place].value.patched(by: value)
            } else {
                members.append((name, Tree.scalar("null").patched(by: value)))
            }
        }
        return .object(members)
    }

    var plain: String {
        var generator = SeededGenerator(seed: 0)
        return text(&generator, isSpaced: false)
    }

    func text(_ generator: inout SeededGenerator, isSpaced: Bool = true) -> String {
        let space = isSpaced && generator.next() % 3 == 0 ? " \n" : ""
        switch self {
        case .scalar(let text): return space + text
        case .array(let values):
            var parts: [String] = []
            for value in values { parts.append(value.text(&generator, isSpaced: isSpaced)) }
            return "[" + parts.joined(separator: ",") + space + "]"
        case .object(let members):
            var parts: [String] = []
            for (name, value) in members {
                parts.append("\(space)\"\(name)\"\(space):" + value.text(&generator, isSpaced: isSpaced))
            }
            return "{" + parts.joined(separator: ",") + space + "}"
        }
    }
}
