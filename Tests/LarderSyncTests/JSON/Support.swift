import LarderSync

/// A small deterministic generator (SplitMix64), so that a failing seed can be run again.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// One reported token with its text, for comparisons.
struct Seen: Equatable {
    let token: JSONToken
    let text: [UInt8]
}

/// All tokens of a text that arrives in the given chunks.
func tokens(_ chunks: [[UInt8]], limits: JSONLimits = JSONLimits()) throws(JSONError) -> [Seen] {
    var scanner = JSONScanner(limits: limits)
    var seen: [Seen] = []
    for chunk in chunks {
        var position = 0
        while let token = try scanner.next(in: chunk, at: &position) {
            let hasText = token == .name || token == .string || token == .number
            seen.append(Seen(token: token, text: hasText ? scanner.text : []))
        }
    }
    if let token = try scanner.finish() { seen.append(Seen(token: token, text: scanner.text)) }
    return seen
}

func tokens(_ text: String) throws(JSONError) -> [Seen] {
    try tokens([Array(text.utf8)])
}

/// Why a text is refused; `nil` when it is accepted.
func refusal(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
    do throws(JSONError) {
        _ = try tokens([bytes], limits: limits)
        return nil
    } catch {
        return error
    }
}

/// A random JSON text that is valid.
struct DocumentMaker {
    var random: Seeded

    init(seed: UInt64) { random = Seeded(seed) }

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
        let digits = { (random: inout Seeded, most: Int) in
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
            "a", "Z", " ", "verse", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u0627", "\\ud83d\\ude00", "é", "ا", "ب",
            "語",
            "😀", "\u{7F}", "\u{FFFD}", "\u{10FFFF}", "\u{800}", "\u{D7FF}", "{", "]", "\\b\\f\\r\\t", "\\uFFFF",
            "\\u0000",
        ]
        let body = (0..<Int.random(in: 0..<8, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        return "\"" + body.joined() + "\""
    }
}
