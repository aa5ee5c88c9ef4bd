// Proves that each type `import Larder` shows has an example in its doc comment, and that the example is compiled.

import Foundation
import Testing

@Suite struct `The examples in doc comments` {
    private static let root = ModuleSources.root.deletingLastPathComponent()
    private static let folders = ["Tests/ReadmeTests/Examples", "Tests/LarderQueryTests/Examples"]

    /// The types without an example, each with the reason.
    private static let exceptions = [
        "PathConnectivity": "It exists on Apple's systems only, and the examples are compiled on Linux too.",
        "DevicePower": "It exists on Apple's systems only, and the examples are compiled on Linux too.",
    ]

    /// The types of other modules that have an example.
    private static let others: Set = [
        "ContentSync", "FilterReadiness", "HTTPAnswer", "HTTPCache", "HTTPCacheOptions", "KeepEstimate", "KeepStatus",
        "ObjectCache", "Outbox", "OutboxConfiguration", "OutboxWrite", "QueryCache", "QueryPredicate", "ReadView",
        "Region", "RowEffect", "RowRange", "Store", "StoreQuery", "SyncConfiguration", "SyncCoordinator", "SyncEvent",
        "SyncReport", "SyncStatus", "SyncTrigger", "Transaction", "TwoAnswerStrategy",
    ]

    @Test func `are compiled as they stand there`() throws {
        let (examples, comments) = (try Self.compiled(), try Self.documentation())
        let required = try Self.shown().subtracting(Self.exceptions.keys).union(Self.others)
        for type in required.union(examples.keys).sorted() {
            guard let code = examples[type] else {
                Issue.record("no example of \(type) is compiled")
                continue
            }
            let lines = ["```swift"] + code + ["```"]
            let expected = lines.map { $0.isEmpty ? "///" : "/// \($0)" }.joined(separator: "\n")
            #expect(
                comments[type, default: []].contains { $0.contains(expected) },
                "the doc comment of \(type) does not have the example that is compiled")
        }
        print("\(examples.count) types have an example that is compiled")
    }

    @Test func `are required of the types that an app sees`() throws {
        let shown = try Self.shown()
        #expect(shown.count > 60)
        #expect(shown.isSuperset(of: ["TransportError", "ContentCache", "SystemPower", "ObservedRows"]))
        #expect(shown.isDisjoint(with: ["HTTPFields", "Logger"]), "these are types of other packages")
        #expect(shown.isSuperset(of: Self.exceptions.keys), "an exception is not among the types that need an example")
        #expect(shown.isDisjoint(with: Self.others), "a type is listed that is required anyway")
        #expect(try Self.compiled().keys.allSatisfy { Self.exceptions[$0] == nil }, "an exception has an example")
    }

    /// The types of Larder's modules that `Larder` exports by name, and the public types at the top of its own files and
    /// of those of LarderObservation.
    private static func shown() throws -> Set<String> {
        let exports = try String(contentsOf: ModuleSources.root.appending(path: "Larder/Larder.swift"), encoding: .utf8)
        var names = Set(exports.matches(of: /@_exported public import \w+ Larder\w+\.(\w+)/).map { String($0.1) })
        for module in ["Larder", "LarderObservation"] {
            let folder = ModuleSources.root.appending(path: module)
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                names.formUnion(text.split(separator: "\n").compactMap { declaredType(in: $0) })
            }
        }
        return names
    }

    /// The name of the public type that a line declares, without indentation before it.
    private static func declaredType(in line: Substring) -> String? {
        guard line.hasPrefix("public ") else { return nil }
        return line.firstMatch(of: /^public (?:\w+ )*?(?:struct|class|enum|protocol|actor) (\w+)/).map { String($0.1) }
    }

    /// The lines between `// Example of Type` and `// End of example`, without the indentation of their function.
    private static func compiled() throws -> [String: [String]] {
        var examples: [String: [String]] = [:]
        for folder in folders {
            let folder = root.appending(path: folder)
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                var type: String?
                for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                    let content = String(line.hasPrefix("    ") ? line.dropFirst(4) : line)
                    if content.hasPrefix("// Example of ") {
                        type = String(content.dropFirst(14))
                    } else if content == "// End of example" {
                        type = nil
                    } else if let type {
                        examples[type, default: []].append(content)
                    }
                }
            }
        }
        return examples
    }

    /// The doc comments of public types, their lines without indentation; nested types may share a name.
    private static func documentation() throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: ModuleSources.root.path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: ModuleSources.root.appending(path: path), encoding: .utf8)
            var lines: [Substring] = []
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                let line = line.drop { $0 == " " }
                if line.hasPrefix("///") {
                    lines.append(line)
                } else if !lines.isEmpty, let type = declaredType(in: line) {
                    found[type, default: []].append(lines.joined(separator: "\n"))
                    lines = []
                } else if !line.hasPrefix("@") {
                    lines = []
                }
            }
        }
        return found
    }
}
