// Proves that each promise and each statement of the standards names an existing test, or a reason for having none.

import Foundation
import Testing

/// Holds the lists of what is promised and the suites to each other.
@Suite struct `The lists of promises` {
    private static let target = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = target.deletingLastPathComponent().deletingLastPathComponent()

    /// A test, and the promises that its doc comment names.
    private struct NamedTest {
        var suite: String
        var name: String
        var promises: Set<String>
    }

    /// The rows of the tables of a list, cell by cell.
    private static func rows(_ file: URL) throws -> [[String]] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| §") else { return nil }
            return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The tests of what the cache is and of what it is asked, suite by suite.
    private static func tests() throws -> [NamedTest] {
        let queries = target.deletingLastPathComponent().appending(path: "LarderQueryTests")
        let files = [target, queries].flatMap { folder in
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        }
        return try files.filter { $0.pathExtension == "swift" }.flatMap(tests)
    }

    private static func tests(_ file: URL) throws -> [NamedTest] {
        var found: [NamedTest] = []
        var suite = ""
        var promises: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.contains("/// §") { promises = Set(line.matches(of: /§[0-9.]*[0-9]/).map { String($0.output) }) }
            if let name = line.firstMatch(of: /@Suite.* `([^`]+)`/)?.output.1 { suite = String(name) }
            guard let name = line.firstMatch(of: /func `([^`]+)`/)?.output.1 else { continue }
            found.append(NamedTest(suite: suite, name: String(name), promises: promises))
            promises = []
        }
        return found
    }

    @Test func `give every promise of the sources a test, or the reason why it has none`() throws {
        let rows = try Self.rows(Self.target.appending(path: "COVERAGE.md"))
        let tests = try Self.tests()
        let counts = [24, 8, 5, 8, 5, 5, 5, 3]
        #expect(rows.count == counts.reduce(0, +))
        #expect(Set(rows.map(\.[0])).count == rows.count)
        for row in rows {
            let names = row[2].matches(of: /`([^`]+)`/).map { String($0.output.1) }
            #expect(!names.isEmpty || row[2].hasPrefix("no test: "), "\(row[0])")
            for name in names {
                #expect(tests.contains { $0.name == name && $0.promises.contains(row[0]) }, "\(row[0]): \(name)")
            }
        }
    }

    @Test func `leave out no test that names a promise of the sources`() throws {
        let rows = try Self.rows(Self.target.appending(path: "COVERAGE.md"))
        for test in try Self.tests() {
            for promise in test.promises where promise.wholeMatch(of: /§[0-9]\.[0-9]\.[0-9]+/) != nil {
                #expect(
                    rows.contains { $0[0] == promise && $0[2].contains("`\(test.name)`") }, "\(promise): \(test.name)")
            }
        }
    }

    @Test func `give every statement of the standards a test that exists, or the reason why it has none`() throws {
        let rows = try Self.rows(Self.root.appending(path: "docs/internals/http-cache.md"))
        let tests = try Self.tests()
        #expect(rows.count > 110)
        for row in rows {
            try #require(row.count == 3, "\(row)")
            if row[2].hasPrefix("no test: ") { continue }
            let suites = row[2].components(separatedBy: "; ")
            for part in suites {
                let suite = part.components(separatedBy: ": `")[0]
                let names = part.matches(of: /`([^`]+)`/).map { String($0.output.1) }
                #expect(!names.isEmpty, "\(row)")
                for name in names {
                    #expect(tests.contains { $0.suite == suite && $0.name == name }, "\(row[0]), \(suite): \(name)")
                }
            }
        }
    }
}
