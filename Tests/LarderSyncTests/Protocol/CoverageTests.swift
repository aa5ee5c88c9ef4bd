// Proves that COVERAGE.md and the protocol suites name each other completely.

import Foundation
import Testing

/// Holds COVERAGE.md and the suites to each other.
@Suite struct `The list of promises` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The lines of the list: their number, and what stands in the column of tests.
    private static func lines() throws -> [(number: String, tests: String)] {
        let text = try String(contentsOf: folder.appending(path: "COVERAGE.md"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| §") else { return nil }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells.first ?? "", cells.last ?? "")
        }
    }

    /// The tests of this target with the promises that they name.
    private static func tests() throws -> [String: Set<String>] {
        let target = folder.deletingLastPathComponent()
        let files = FileManager.default.enumerator(at: target, includingPropertiesForKeys: nil)?.compactMap {
            $0 as? URL
        }
        var found: [String: Set<String>] = [:]
        for file in files ?? [] where file.pathExtension == "swift" {
            var promises: Set<String> = []
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.contains("/// §") { promises = Set(line.matches(of: /§[0-9.]+/).map { String($0.output) }) }
                guard let name = line.firstMatch(of: /func `([^`]+)`/)?.output.1 else { continue }
                found[String(name), default: []].formUnion(promises)
                promises = []
            }
        }
        return found
    }

    @Test func `gives every promise a test, or the reason why it has none`() throws {
        let lines = try Self.lines()
        let tests = try Self.tests()
        #expect(lines.count > 80)
        #expect(Set(lines.map(\.number)).count == lines.count)
        for (number, cell) in lines {
            let names = cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
            #expect(!names.isEmpty || cell.hasPrefix("no test: "), "\(number)")
            for name in names { #expect(tests[name]?.contains(number) == true, "\(number): \(name)") }
        }
    }

    @Test func `leaves out no test that names a promise`() throws {
        let lines = try Self.lines()
        for (name, promises) in try Self.tests() {
            for promise in promises {
                #expect(
                    lines.contains { $0.number == promise && $0.tests.contains("`\(name)`") }, "\(promise): \(name)")
            }
        }
    }
}
