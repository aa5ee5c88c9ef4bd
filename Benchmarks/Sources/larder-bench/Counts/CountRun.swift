// CountRun: counts the hot paths in a process under callgrind, and compares the counts with recorded ones.

import CCounters
import Foundation
import LarderStore

/// Counts the hot paths in a process under callgrind, and compares the counts with recorded ones.
enum CountRun {
    /// The argument that makes this program be the process under callgrind.
    static let childArgument = "--count-child"

    private static let lookups: Set<String> = ["mdb_get", "mdb_cursor_get"]

    /// Compares with the recorded counts in a file, or records them there.
    ///
    /// - Returns: whether no count has grown.
    static func run(file: String, isRecording: Bool) throws -> Bool {
        let counts = try measure()
        if isRecording {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try (encoder.encode(counts) + Data("\n".utf8)).write(to: URL(filePath: file))
            print("recorded the counts of \(counts.paths.count) paths in \(file)")
            return true
        }
        let recorded = try JSONDecoder().decode(Counts.self, from: Data(contentsOf: URL(filePath: file)))
        let (lines, failures) = counts.compare(with: recorded)
        for line in lines { print(line) }
        print("\(failures) of \(lines.count) counts have grown by more than \(Int(Counts.tolerance * 100)) %")
        return failures == 0
    }

    /// Counts in a child, whose output has the counts that callgrind does not have.
    private static func measure() throws -> Counts {
        let directory = try ScratchDirectory()
        let program = directory.path("larder-bench")
        // Valgrind cannot read the compiler's debug information.
        _ = try runTool([
            "strip", "--strip-debug", "-o", program, URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path,
        ])
        let output = try runTool([
            "valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no",
            "--callgrind-out-file=\(directory.path("out"))", program, childArgument,
        ])
        var counts = Counts()
        let lines = output.split(separator: "\n")
        for (index, line) in lines.enumerated() {
            let child = try JSONDecoder().decode(ChildCounts.self, from: Data(line.utf8))
            let file = try CallgrindFile(path: directory.path("out.\(index + 1)"))
            try expect(file.name, child.path, "the path of a file of callgrind")
            let operations = Double(child.operations)
            let values: [Counts.Kind: Double] = [
                .instructions: file.instructions, .lookups: Double(file.calls(of: lookups)),
                .allocations: Double(child.allocations), .pages: child.pages, .commits: Double(child.commits),
            ]
            let uncompared = CountedPath.all.first { $0.name == child.path }?.uncompared ?? []
            counts.paths[child.path, default: [:]].merge(
                values.filter { !uncompared.contains($0.key) }.mapValues { ($0 / operations * 100).rounded() / 100 },
                uniquingKeysWith: min)
        }
        return counts
    }

    /// Runs a tool and returns its output.
    private static func runTool(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PeerError.message("\(arguments[0]) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The counts of one path that the child makes itself.
    private struct ChildCounts: Codable {
        var path: String
        var operations: Int
        var allocations: UInt64
        var pages: Double
        var commits: Int
    }

    /// Runs each path four times, and counts all but the first. Work in the background may only add to a count, so that
    /// the least one is compared.
    static func runChild() async throws {
        let fixture = try await CountFixture()
        for path in CountedPath.all {
            for isCounted in [false, true, true, true] {
                try await path.prepare(fixture)
                let earlier = (pagesWritten(), fixture.commits)
                if isCounted {
                    allocation_count_begin()
                    callgrind_begin()
                }
                try await path.run(fixture)
                guard isCounted else { continue }
                let counts = ChildCounts(
                    path: path.name, operations: path.operations, allocations: allocation_count_end(),
                    pages: pagesWritten() - earlier.0, commits: fixture.commits - earlier.1)
                callgrind_end(path.name)
                let line = String(decoding: try JSONEncoder().encode(counts), as: UTF8.self)
                print(line)
            }
        }
        try fixture.close()
    }

    private static func pagesWritten() -> Double {
        Double(ProcessStatus.field("wchar:", in: "/proc/self/io")) / 4_096
    }
}
