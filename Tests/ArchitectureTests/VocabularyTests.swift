// Proves that no retired word is in an identifier, a comment, a file name, a help text or a document.

import Foundation
import Testing

@Suite struct `The vocabulary` {
    private static let root = ModuleSources.root.deletingLastPathComponent()

    /// The retired words, with the words to use. A name in camel case is compared word by word.
    private static let retired: [(word: String, use: String)] = [
        ("full copy", "snapshot"), ("full copies", "snapshots"), ("floor", "applied sequence"),
        ("floored", "applied sequence"), ("set back", "rolled back"), ("inquiry", "lookup"), ("inquiring", "lookup"),
        ("settle", "resolve, complete or release"), ("settles", "resolves, completes or releases"),
        ("settled", "resolved, completed or released"), ("settling", "resolving, completing or releasing"),
        ("settlement", "resolution"), ("tenure", "ownership"), ("keeper", "owner"), ("lay over", "apply overlay"),
        ("becomes row", "materialize"), ("seam", "page gap"), ("news", "changes"), ("shelf", "storage tier"),
        ("shelves", "storage tiers"), ("session gate", "authentication state"),
        ("exchange gate", "concurrency limiter"), ("request gate", "request guard"),
        ("out of step", "stale delivery"), ("alongside", "commit hook"), ("chance", "random number"),
        ("moment", "time or clock reading"), ("unsent choice", "sign-out policy"), ("obstacle", "blocked reason"),
        ("planted fault", "mutant"), ("planted faults", "mutants"), ("house", "common"), ("room", "storage budget"),
        ("make room", "make space"), ("told", "notified or reported"), ("tells", "notifies or reports"),
        ("door", "the part's own name"), ("question", "query"), ("questions", "queries"),
    ]

    /// Functions need a verb that says what happens to what.
    private static let barred: Set<Substring> = ["take", "tell", "settle", "note", "hear", "lay"]

    /// The places where a retired word means something else.
    private static let exceptions: [(path: String, word: String, reason: String)] = [
        ("CONTRIBUTING.md", "chance", "shows a bad title beside a good one"),
        ("CONTRIBUTING.md", "told", "shows a bad doc comment beside a good one"),
        ("Tests/LarderQueryTests/Search/SearchTests.swift", "door", "is a text that is searched"),
        ("README.md", "news", "the example fetches a page of news"),
        ("Tests/ReadmeTests/", "news", "are the examples of the README"),
        ("Sources/LarderHTTP/Fetch/HTTPCache+Values.swift", "news", "the example decodes a page of news"),
        ("Tools/examples/", "news", "one of the examples reads news"),
        ("Tests/ExampleTests/", "news", "are the tests of that example"),
        ("Package.swift", "news", "has that example as a target"),
        ("CHANGELOG.md", "news", "names that example"),
        ("FORMAT.md", "news", "the example of a response is a page of news"),
        ("Tests/LarderFormatTests/Support/Example.swift", "news", "is the example of FORMAT.md"),
        ("Tests/LarderHTTPTests/EndToEnd/RoundTripTests.swift", "news", "fetches a page of news"),
        ("Tests/LarderStoreTests/Support/SampleStore.swift", "news", "has a tag of this name"),
    ]

    private struct Hit: Hashable, CustomStringConvertible {
        let path: String
        let word: String
        let line: Int

        var description: String { "\(path):\(line): \(word)" }
    }

    @Test func `has none of the retired words`() throws {
        var hits: [Hit] = []
        var count = 0
        for path in try Self.paths() {
            let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            count += 1
            hits += Self.hits(in: path, at: path, line: 0)
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                hits += Self.hits(in: line, at: path, line: number + 1)
            }
        }
        #expect(count > 1000)
        hits.removeAll { hit in
            Self.exceptions.contains { hit.path.hasPrefix($0.path) && hit.word == $0.word }
        }
        #expect(hits.isEmpty, "\(hits.prefix(40).map(\.description).joined(separator: "\n"))")
    }

    @Test func `has no function whose name is only a retired verb`() throws {
        var found: [String] = []
        for path in try Self.paths() where path.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /func ([a-z]+)[(<]/) where Self.barred.contains(match.1) {
                found.append("\(path): \(match.1)")
            }
        }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func `is found in names in camel case, and in no longer word`() {
        #expect(Self.hits(in: "let fullCopyPath = chances", at: "", line: 1).map(\.word) == ["full copy"])
        #expect(Self.hits(in: "// The server was set back.", at: "", line: 1).map(\.word) == ["set back"])
        #expect(Self.hits(in: "SessionGate, newsletter", at: "", line: 1).map(\.word) == ["session gate"])
    }

    /// Sources, tests, tools, help texts and documents; the mutants are patches of these.
    private static func paths() throws -> [String] {
        let folders = ["Sources", "Tests", "Tools", "Benchmarks/Sources", "docs"]
        let files = [
            "README.md", "FORMAT.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Package.swift", ".ci/run",
        ]
        let found = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .map { "\(folder)/\($0)" }
        }
        // This file holds the list.
        return (files + found).filter { path in
            [".swift", ".md", ".txt", ".sh", "run"].contains(where: path.hasSuffix)
                && !path.hasSuffix("VocabularyTests.swift")
        }
    }

    private static let phrases = Dictionary(grouping: retired.map { $0.word.split(separator: " ") }) { $0[0] }

    private static func hits(in text: some StringProtocol, at path: String, line: Int) -> [Hit] {
        let words = words(of: text)
        return words.indices.flatMap { place in
            (phrases[words[place][...]] ?? []).filter { words[place...].starts(with: $0.map(String.init)) }
                .map { Hit(path: path, word: $0.joined(separator: " "), line: line) }
        }
    }

    /// The words of a text in lower case; one in camel case is several.
    private static func words(of text: some StringProtocol) -> [String] {
        var words: [String] = []
        var wasLower = false
        var isInside = false
        for character in text.unicodeScalars {
            let isUpper = ("A"..."Z").contains(character)
            let isLower = ("a"..."z").contains(character)
            guard isUpper || isLower else {
                (wasLower, isInside) = (false, false)
                continue
            }
            if !isInside || isUpper && wasLower { words.append("") }
            words[words.count - 1].unicodeScalars.append(
                isUpper ? Unicode.Scalar(UInt8(character.value) + 32) : character)
            (wasLower, isInside) = (isLower, true)
        }
        return words
    }
}
