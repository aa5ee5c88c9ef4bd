// LarderBench: measures Larder beside LMDB's own calls and SQLite, in one run.

import Foundation

/// Measures Larder beside LMDB's own calls and SQLite, in one run.
///
/// `larder-bench [--quick] [--json FILE] [--svg FILE] [suite…]`
@main
struct LarderBench {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == LoadMemory.childArgument, let rows = arguments.last.flatMap({ Int($0) }) {
            return try await LoadMemory.runChild(rows: rows)
        }
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        let json = removeOption("--json", from: &arguments)
        let chart = removeOption("--svg", from: &arguments)
        let suites = Suite.all.filter { arguments.isEmpty || arguments.contains($0.name) }
        if let unknown = arguments.first(where: { name in !Suite.all.contains { $0.name == name } }) {
            exitWithError("no suite \(unknown); there are \(Suite.all.map(\.name).joined(separator: ", "))")
        }
        let machine = try Machine.measure(isQuick: isQuick)
        var measurements: [Measurement] = []
        for suite in suites {
            let start = ContinuousClock.now
            measurements += try await suite.run(isQuick)
            let duration = start.duration(to: .now).milliseconds / 1_000
            printStatus("\(suite.name): \(Table.text(duration)) s")
        }
        let report = Report(isQuick: isQuick, machine: machine, measurements: measurements)
        report.print()
        if let json { try report.writeJSON(to: json) }
        if let chart { try report.writeChart(to: chart) }
    }

    /// Removes an option and returns its value; nil where it is not given.
    private static func removeOption(_ name: String, from arguments: inout [String]) -> String? {
        guard let index = arguments.firstIndex(of: name) else { return nil }
        guard index + 1 < arguments.count else { exitWithError("\(name) needs a file") }
        let value = arguments[index + 1]
        arguments.removeSubrange(index...index + 1)
        return value
    }

    private static func printStatus(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    private static func exitWithError(_ line: String) -> Never {
        printStatus(line)
        exit(64)
    }
}
