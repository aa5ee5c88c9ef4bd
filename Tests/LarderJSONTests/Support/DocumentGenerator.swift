// DocumentGenerator: makes random valid JSON texts.

/// A random JSON text that is valid.
struct DocumentGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document() -> [UInt8] {
        Array((space() + value(depth: 0) + space()).utf8)
    }

    private mutating func space() -> String {
        ["", "", "", " ", "\n", "\t ", "\r\n"].randomElement(using: &random) ?? ""
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 4 ? 6 : 10), using: &random) {
        case 0: return "null"
        case 1: return "true"
        case 2: return "false"
        case 3: return number()
        case 4, 5: return string()
        case 6, 7:
            let items = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
                space() + value(depth: depth + 1) + space()
            }
            return "[" + (items.isEmpty ? space() : items.joined(separator: ",")) + "]"
        default:
            let count = Int.random(in: 0..<5, using: &random)
            let items = (0..<count).map { index in
                // Foundation keeps one of two equal names, so the names here differ.
                "\(space())\"\(index)\(string().dropFirst())\(space()):\(space())\(value(depth: depth + 1))\(space())"
            }
            return "{" + (items.isEmpty ? space() : items.joined(separator: ",")) + "}"
        }
    }

    private mutating func number() -> String {
        let digits = { (random: inout SeededGenerator, most: Int) in
            (0..<Int.random(in: 1...most, using: &random)).map { _ in "\(Int.random(in: 0...9, using: &random))" }
                .joined()
        }
        var text = Bool.random(using: &random) ? "-" : ""
        text += Bool.random(using: &random) ? "0" : "\(Int.random(in: 1...9, using: &random))" + digits(&random, 8)
        if Bool.random(using: &random) { text += "." + digits(&random, 6) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            text += ["e", "E", "e+", "E-"].randomElement(using: &random) ?? ""
            text += digits(&random, 2)
        }
        return text
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "Z", " ", "verse", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u0627", "\\ud83d\\ude00",
            "é", "ا", "ب", "語", "😀", "\u{7F}", "\u{FFFD}", "\u{10FFFF}", "\u{800}", "\u{D7FF}", "{", "]",
            "\\b\\f\\r\\t", "\\uFFFF", "\\u0000",
        ]
        let body = (0..<Int.random(in: 0..<8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        return "\"" + body.joined() + "\""
    }
}
