// Proves that each type an app meets first has an example in its doc comment, and that the example is compiled.

import Foundation
import Testing

@Suite struct `The examples in doc comments` {
    private static let root = ModuleSources.root.deletingLastPathComponent()
    private static let folders = ["Tests/ReadmeTests/Examples", "Tests/LarderQueryTests/Examples"]

    /// The types of the first hour.
    private static let types = [
        "BaseURL", "ContentSync", "Credentials", "FetchRequest", "Fetched", "FilterReadiness", "FixedCredentials",
        "HTTPAnswer", "HTTPCache", "HTTPCacheError", "HTTPCacheOptions", "AnswerOrigin", "CacheReason", "KeepEstimate",
        "KeepStatus", "ObjectCache", "Outbox", "OutboxConfiguration", "OutboxResult", "OutboxStatus", "OutboxWrite",
        "QueryCache", "QueryPredicate", "ReadView", "Region", "ResourceFilter", "ResourceKey", "RowEffect", "RowKey",
        "RowRange", "Session", "SingleAnswerStrategy", "Store", "StoreError", "StoreQuery", "SyncConfiguration",
        "SyncCoordinator", "SyncEvent", "SyncPriority", "SyncReport", "SyncStatus", "SyncTrigger", "Transaction",
        "TwoAnswerStrategy", "CachedRow", "LocalRow", "RowSchema", "KeyRange", "SQLCondition", "CacheServices",
        "CacheLocation", "CacheOptions", "ContentCache", "KeepProgress",
    ]

    @Test func `are compiled as they stand there`() throws {
        let (examples, comments) = (try Self.compiled(), try Self.documentation())
        for type in Self.types {
            let code = try #require(examples[type], "no example of \(type) is compiled")
            let candidates = try #require(comments[type], "\(type) has no doc comment")
            let lines = ["```swift"] + code + ["```"]
            let expected = lines.map { $0.isEmpty ? "///" : "/// \($0)" }.joined(separator: "\n")
            #expect(
                candidates.contains { $0.contains(expected) },
                "the example of \(type) is not the one that is compiled")
        }
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
                } else if line.hasPrefix("public "), !lines.isEmpty,
                    let match = line.firstMatch(of: /(struct|class|enum|protocol|actor) (\w+)/)
                {
                    found[String(match.2), default: []].append(lines.joined(separator: "\n"))
                    lines = []
                } else if !line.hasPrefix("@") {
                    lines = []
                }
            }
        }
        return found
    }
}
