// Program: a built example as a process of its own.

import Foundation
import Testing

/// A built example as a process of its own; what it writes goes to a file.
final class Program {
    private static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    private let process = Process()
    private let output = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)")

    /// Starts a program.
    init(_ name: String, _ arguments: [String]) throws {
        try Data().write(to: output)
        process.executableURL = Self.folder.appending(path: name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = process.standardOutput
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: output)
    }

    /// Runs a program to its end, and returns what it wrote.
    static func run(_ name: String, _ arguments: [String]) async throws -> (status: Int32, text: String) {
        let program = try Program(name, arguments)
        let status = try await program.status()
        return (status, program.text)
    }

    /// The text that it has written so far.
    var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Waits until it has written a text that matches, at most 30 seconds; returns the first group of the match.
    func wait(for pattern: Regex<(Substring, Substring)>) async throws -> String {
        for _ in 0..<600 {
            if let match = text.firstMatch(of: pattern) { return String(match.1) }
            try #require(process.isRunning, "it has ended: \(text)")
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Silent(text: text)
    }

    /// Sends SIGINT, and returns the status of its end.
    func interrupt() async throws -> Int32 {
        process.interrupt()
        return try await status()
    }

    private func status() async throws -> Int32 {
        for _ in 0..<600 where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        try #require(!process.isRunning, "it does not end: \(text)")
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    private struct Silent: Error {
        let text: String
    }
}
