// Proves that each block of Swift in an article is compiled: it stands in a file of Articles.

import Foundation
import Testing

@Suite struct `The articles` {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let sources = tests.appending(path: "../../Sources").standardized

    @Test func `show no Swift that is not compiled`() throws {
        var count = 0
        let compiled = try Self.compiled()
        for (path, text) in try Self.articles() {
            let blocks = try #require(Self.blocks(in: text, from: "```swift", to: "```"), "\(path) does not end")
            count += blocks.count
            for block in blocks where !compiled.contains(block) {
                Issue.record("\(path) has a block that no file of Articles has:\n\(block)")
            }
        }
        #expect(count >= 20)
    }

    @Test func `are found`() throws {
        let names = try Self.articles().map { $0.path }
        #expect(names.contains("Larder/Larder.docc/GettingStarted.md"))
    }

    @Test func `are compared without the indentation that all lines of a block have`() throws {
        let article = "Text.\n\n```swift\nif isReady {\n    read()\n}\n\nwrite()\n```\n\n```\nnot Swift\n```\n"
        let file = """
            func one() {
                // block begins
                if isReady {
                    read()
                }

                write()
                // block ends
            }
            """
        let shown = Self.blocks(in: article, from: "```swift", to: "```")
        #expect(shown == ["if isReady {\n    read()\n}\n\nwrite()"])
        #expect(Self.blocks(in: file, from: Self.mark.begin, to: Self.mark.end) == shown)
        let changed = file.replacing("write()", with: "write(1)")
        #expect(Self.blocks(in: changed, from: Self.mark.begin, to: Self.mark.end) != shown)
        #expect(Self.blocks(in: "```swift\nread()\n", from: "```swift", to: "```") == nil)
    }

    private static let mark = (begin: "// block begins", end: "// block ends")

    /// The blocks of all files of `Articles`.
    private static func compiled() throws -> Set<String> {
        let folder = tests.appending(path: "Articles")
        var found: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            found.formUnion(
                try #require(blocks(in: text, from: mark.begin, to: mark.end), "\(name): a block does not end"))
        }
        return found
    }

    /// The paths below `Sources` and the texts of all articles of all catalogues.
    private static func articles() throws -> [(path: String, text: String)] {
        try FileManager.default.subpathsOfDirectory(atPath: sources.path)
            .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
            .map { ($0, try String(contentsOf: sources.appending(path: $0), encoding: .utf8)) }
    }

    /// Returns the texts between the lines `begin` and `end`, without the indentation that all of their lines have; nil
    /// when the last block does not end, or one begins within another.
    private static func blocks(in text: String, from begin: String, to end: String) -> [String]? {
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            if let lines = block {
                if content.hasPrefix(begin) { return nil }
                if content == end {
                    blocks.append(unindented(lines))
                    block = nil
                } else {
                    block = lines + [line]
                }
            } else if content.hasPrefix(begin) {
                block = []
            }
        }
        return block == nil ? blocks : nil
    }

    private static func unindented(_ lines: [Substring]) -> String {
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
    }
}
