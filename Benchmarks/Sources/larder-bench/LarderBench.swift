// LarderBench: measures Larder beside LMDB's own calls and SQLite, in one run.

import Foundation

/// Measures Larder beside LMDB's own calls and SQLite, in one run.
///
/// `larder-bench [--quick] [--json FILE] [suite…]`
@main
struct LarderBench {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == LoadMemory.childArgument, let rows = arguments.last.flatMap({ Int($0) }) {
            return try await LoadMemory.runChild(rows: rows)
        }
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        var file: String?
        if let index = arguments.firstIndex(of: "--json"), index + 1 < arguments.count {
            file = arguments[index + 1]
            arguments.removeSubrange(index...index + 1)
        }
        let suites = Suite.all.filter { arguments.isEmpty || arguments.contains($0.name) }
        if let unknown = arguments.first(where: { name in !Suite.all.contains { $0.name == name } }) {
            exitWithError("no suite \(unknown); there are \(Suite.all.map(\.name).joined(separator: ", "))")
        }
        var measurements: [Measurement] = []
        for suite in suites {
            let start = ContinuousClock.now
            measurements += try await suite.run(isQuick)
            let duration = start.duration(to: .now).milliseconds / 1_000
            printStatus("\(suite.name): \(Table.text(duration)) s")
        }
        print(
            "seed \(TranslationRows.seed); rows of about 330 bytes; map 64 GiB; warm file; \(isQuick ? "quick" : "full")"
        )
        Table.print(measurements)
        if let file {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(measurements).write(to: URL(filePath: file))
        }
    }

    private static func printStatus(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    private static func exitWithError(_ line: String) -> Never {
        printStatus(line)
        exit(64)
    }
}
