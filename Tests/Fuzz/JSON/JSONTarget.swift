// Proves for any bytes: JSON is read the same in chunks as in one piece, within its limits, and a merge patch does what
// RFC 7396 says.

import LarderFormat
import LarderJSON

enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        "\u{0}\u{1}{\"a\":[1,-2.5e3,true,false,null],\"b\\u00e9\":\"x\\ud83d\\ude00\\n\",\"c\":{}}",
        "\u{0}\u{3}[[[[{\"a\":{\"a\":[]}}]]]]", "\u{0}\u{7}-0.5E+1", "\u{0}\u{2}\"\\ud800\" ",
        "\u{1}\u{14}{\"a\":null,\"b\":{\"c\":1,\"d\":null}}{ \"a\":1,\"b\":{\"d\":[1, 2],\"e\":\"é\"},\"a\":2}",
        "\u{1}\u{2}{}{\"a\":1}", "\u{1}\u{3}[1][2]", "\u{1}\u{4}nulltrue",
        "\u{2}\u{A}{\"a\":null}{\"a\":{\"b\":1},\"c\":{\"d\":null}}{\"a\":5,\"c\":{\"d\":1,\"e\":2}}",
        "\u{3}$.a.\"b c\"[0].d[12]", "\u{3}$", "\u{4}text with \" and \\ and \u{1}",
    ].map { Array($0.utf8) }

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        switch input.byte() % 5 {
        case 0: ScannedText.check(&input)
        case 1: PatchedText.checkMerge(&input)
        case 2: PatchedText.checkComposition(&input)
        case 3: checkPath(String(decoding: input.remainder(), as: UTF8.self))
        default: checkQuoting(String(decoding: input.remainder(), as: UTF8.self))
        }
    }

    /// Checks that a path has few steps, and is equal to the path with every member in quotes.
    private static func checkPath(_ text: String) {
        guard let path = JSONPath(text) else { return }
        require(path.steps.count <= 64, "\(text) has \(path.steps.count) steps")
        let spelled = path.steps.reduce(into: Array("$".utf8)) { spelled, step in
            switch step {
            case .member(let name): spelled += Array(".\"".utf8) + name + Array("\"".utf8)
            case .element(let index): spelled += Array("[\(index)]".utf8)
            }
        }
        let hasQuote = path.steps.contains { if case .member(let name) = $0 { name.contains(0x22) } else { false } }
        if hasQuote { return }
        require(JSONPath(String(decoding: spelled, as: UTF8.self)) == path, "\(text) is spelled as another path")
    }

    /// Checks that a quoted text reads as itself.
    private static func checkQuoting(_ text: String) {
        var json: [UInt8] = []
        JSONText.append(quoting: text, to: &json)
        require(JSONText.isValue(json.rawSpan.bytes), "\(text) is quoted as no JSON")
        let read = JSONValue(json.rawSpan.bytes)?.text
        require(read.map { Array($0.utf8) } == Array(text.utf8), "\(text) is read as \(read ?? "nothing")")
    }
}
