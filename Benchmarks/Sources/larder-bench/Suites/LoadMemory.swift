// LoadMemory: measures anonymous memory at its peak while a snapshot is loaded, in a separate process.

import Foundation
import LarderStore

/// Measures the peak of anonymous memory while a snapshot is loaded, in a separate process.
enum LoadMemory {
    /// The argument that makes this program be that process.
    static let childArgument = "--load-memory-child"

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let rows = isQuick ? 100_000 : 1_000_000
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [childArgument, String(rows)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let peaks = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
        guard process.terminationStatus == 0, peaks.count == 2 else { throw PeerError.code(process.terminationStatus) }
        return [
            Measurement(
                suite: "memory", name: "peak of a load", size: "\(rows) rows", unit: "MB", larder: peaks[1],
                peers: [.init(name: "before the load", value: peaks[0])])
        ]
    }

    /// Loads a snapshot and prints megabytes before it and at the peak.
    static func runChild(rows: Int) async throws {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        let rows = TranslationRows(count: rows)
        _ = rows.payload(0)
        let before = ProcessStatus.anonymousBytes
        let isDone = DoneFlag()
        let sampler = Task.detached { () -> Int in
            var peak = 0
            while !isDone.isSet {
                peak = max(peak, ProcessStatus.anonymousBytes)
                try? await Task.sleep(for: .milliseconds(2))
            }
            return peak
        }
        try await store.load(rows, into: TranslationRows.resource(1))
        isDone.set()
        let peak = await sampler.value
        try store.close()
        print(Double(before) / 1e6, Double(peak) / 1e6, terminator: "")
    }
}
