// Proves that doc comments say first what a symbol does or is: at most one sentence in a hundred has no subject of its own.

import Foundation
import Testing

@Suite struct `The sentences of doc comments` {
    private static let root = ModuleSources.root.deletingLastPathComponent()
    /// The words that make a clause of what should be the subject: "What is stored" for "The stored rows".
    private static let headless: Set<Substring> = [
        "Who", "Whoever", "Whose", "Whom", "What", "Whatever", "Which", "Why", "Nobody", "Those",
    ]

    @Test(arguments: ["Sources", "Tools"])
    func `have a subject`(_ folder: String) throws {
        let root = Self.root.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        var count = 0
        var found: [String] = []
        for path in paths.sorted() {
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            for sentence in Self.sentences(of: text) {
                count += 1
                if Self.headless.contains(sentence.prefix { $0.isLetter }) { found.append("\(path): \(sentence)") }
            }
        }
        print("\(folder): \(found.count) of \(count) sentences of doc comments are headless")
        #expect(count > 100)
        #expect(found.count * 100 <= count, "\(found.prefix(20).joined(separator: "\n"))")
    }

    @Test func `are found in their paragraphs`() {
        let text = """
            /// What it is. Returns one,
            /// or none. | no
            ///
            /// | Who | is in a table |
            /// - Throws: What fails.
            func one()
            """
        #expect(Self.sentences(of: text) == ["What it is.", "Returns one, or none. | no", "What fails."])
    }

    private static func sentences(of text: String) -> [Substring] {
        var paragraphs: [String] = [""]
        var isExample = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " }
            let words = line.dropFirst(3).drop { $0 == " " }
            if words.hasPrefix("```") { isExample.toggle() }
            guard line.hasPrefix("///"), !words.isEmpty, !words.hasPrefix("|"), !isExample, !words.hasPrefix("```")
            else {
                paragraphs.append("")
                continue
            }
            if words.hasPrefix("- ") {
                paragraphs.append(
                    String(words.replacing(/^- (Throws|Returns|Complexity|Parameters?)[^:]*: */, with: "")))
            } else {
                paragraphs[paragraphs.count - 1] += (paragraphs[paragraphs.count - 1].isEmpty ? "" : " ") + words
            }
        }
        return paragraphs.flatMap { paragraph in
            var sentences: [Substring] = []
            var start = paragraph.startIndex
            for end in paragraph.matches(of: /[.?!] +(?=[A-Z])/) {
                sentences.append(paragraph[start...end.range.lowerBound])
                start = end.range.upperBound
            }
            return (sentences + [paragraph[start...]]).filter { !$0.isEmpty }
        }
    }
}
