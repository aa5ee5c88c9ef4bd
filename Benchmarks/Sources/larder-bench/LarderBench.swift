// LarderBench: measures Larder beside LMDB's own calls and SQLite, in one run.

import Foundation

/// Measures Larder beside LMDB's own calls and SQLite, in one run.
///
/// `larder-bench [--quick] [--json FILE] [--svg FILE] [--growth-svg FILE] [suite…]`, or `larder-bench --counts FILE [--record]`
@main
struct LarderBench {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == CountRun.childArgument { return runBlocking { try await CountRun.runChild() } }
        // Not on the main actor: each answer would go through one more thread.
        Task.detached {
            do {
                try await run(arguments)
                exit(0)
            } catch {
                exitWithError("\(error)", code: 1)
            }
        }
        dispatchMain()
    }

    /// Runs `body` while the main thread waits. Valgrind does not survive the end of the main thread.
    private static func runBlocking(_ body: @escaping @Sendable () async throws -> Void) {
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await body() } catch { exitWithError("\(error)", code: 1) }
            end.signal()
        }
        end.wait()
    }

    private static func run(_ arguments: [String]) async throws {
        var arguments = arguments
        if arguments.first == LoadMemory.childArgument, let rows = arguments.last.flatMap({ Int($0) }) {
            return try await LoadMemory.runChild(rows: rows)
        }
        if let file = removeOption("--counts", from: &arguments) {
            let isWithinLimits = try CountRun.run(file: file, isRecording: arguments == ["--record"])
            exit(isWithinLimits ? 0 : 1)
        }
        let isQuick = arguments.contains("--quick")
        arguments.removeAll { $0 == "--quick" }
        let json = removeOption("--json", from: &arguments)
        let chart = removeOption("--svg", from: &arguments)
        let growthChart = removeOption("--growth-svg", from: &arguments)
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
        if let growthChart { try Data(GrowthChart.draw(measurements).utf8).write(to: URL(filePath: growthChart)) }
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

    private static func exitWithError(_ line: String, code: Int32 = 64) -> Never {
        printStatus(line)
        exit(code)
    }
}
