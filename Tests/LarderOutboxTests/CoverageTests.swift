// Proves that each promise about writes names an existing test, or a reason for having none.

import Foundation
import Testing

/// Holds the list of what the sources promise of writes and the tests to each other.
@Suite struct `The list of promises` {
    private static let target = URL(filePath: #filePath).deletingLastPathComponent()

    /// The folders whose tests the list names.
    private static let folders = [
        "LarderOutboxTests", "LarderServerTests/Idempotency", "LarderHTTPTests/Objects", "LarderStoreTests/Pending",
    ]

    /// A test, and the promises that its name or its doc comment names.
    private struct NamedTest {
        var name: String
        var promises: Set<String>
    }

    /// Promise and tests, row by row.
    private static func rows() throws -> [(promise: String, tests: String)] {
        let text = try String(contentsOf: target.appending(path: "COVERAGE.md"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| §") else { return nil }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.count == 3 ? (cells[0], cells[2]) : nil
        }
    }

    private static func tests() throws -> [NamedTest] {
        let root = target.deletingLastPathComponent()
        let files = folders.flatMap { folder in
            FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL } ?? []
        }
        return try files.filter { $0.pathExtension == "swift" }.flatMap(tests)
    }

    private static func tests(_ file: URL) throws -> [NamedTest] {
        var found: [NamedTest] = []
        var comment: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.contains("/// ") {
                comment.formUnion(promises(in: line))
            } else if let name = line.firstMatch(of: /func `([^`]+)`/)?.output.1 {
                let promises = comment.union(promises(in: name))
                if !promises.isEmpty { found.append(NamedTest(name: String(name), promises: promises)) }
                comment = []
            } else if !line.contains("@Test") {
                comment = []
            }
        }
        return found
    }

    private static func promises(in text: Substring) -> Set<String> {
        Set(text.matches(of: /§[0-9]\.[0-9]\.[0-9]+/).map { String($0.output) })
    }

    private static func isOfOutbox(_ promise: String) -> Bool {
        ["§4.2.", "§4.3.", "§4.4.", "§4.5.", "§5.2."].contains { promise.hasPrefix($0) }
    }

    @Test func `gives every promise a test, or the reason why it has none`() throws {
        let rows = try Self.rows()
        let tests = try Self.tests()
        #expect(rows.count == 11 + 4 + 7 + 7 + 8)
        #expect(Set(rows.map(\.promise)).count == rows.count)
        for row in rows {
            let names = row.tests.matches(of: /`([^`]+)`/).map { String($0.output.1) }
            #expect(!names.isEmpty || row.tests.hasPrefix("no test: "), "\(row.promise)")
            for name in names {
                #expect(
                    tests.contains { $0.name == name && $0.promises.contains(row.promise) }, "\(row.promise): \(name)")
            }
        }
    }

    @Test func `leaves out no test that names a promise`() throws {
        let rows = try Self.rows()
        for test in try Self.tests() {
            for promise in test.promises where Self.isOfOutbox(promise) {
                #expect(
                    rows.contains { $0.promise == promise && $0.tests.contains("`\(test.name)`") },
                    "\(promise): \(test.name)")
            }
        }
    }
}
