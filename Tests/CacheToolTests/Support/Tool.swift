// Tool: runs cachetool and returns its status and output.

import Foundation

/// What one run of the tool said.
struct Outcome {
    let status: Int32
    let output: [UInt8]
    let errorOutput: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// Every line as the system's own JSON reader sees it.
    func objects() throws -> [[String: Any]] {
        try lines.map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }
}

/// The built tool, run as a child process.
enum Tool {
    static let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    static let path = directory.appending(path: "cachetool").path

    static func run(_ arguments: String..., input: [UInt8] = []) throws -> Outcome {
        try run(path, arguments, input: input)
    }

    static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // Help is wrapped to the width of the terminal.
        process.environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": "80"]) { $1 }
        // Files, not pipes: what nobody reads yet would stop the child.
        let scratch = TemporaryDirectory()
        let (source, output, errorOutput) = (scratch.path + "/in", scratch.path + "/out", scratch.path + "/err")
        try Data(input).write(to: URL(fileURLWithPath: source))
        for path in [output, errorOutput] { try Data().write(to: URL(fileURLWithPath: path)) }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: source))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorOutput))
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: [UInt8](try Data(contentsOf: URL(fileURLWithPath: output))),
            errorOutput: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorOutput)), as: UTF8.self))
    }

    /// Starts the tool, has it interrupted once `isReady` has returned, and waits for its end.
    ///
    /// - Parameter input: what it reads first; it never meets an end.
    static func interrupt(_ arguments: [String], input: [UInt8] = [], whenReady isReady: () -> Void) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try pipe.fileHandleForWriting.write(contentsOf: input)
        isReady()
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// One of LMDB's own tools, or nil when it is not installed.
    static func lmdb(_ name: String) -> String? {
        let path = "/usr/bin/\(name)"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// Whether LMDB's own tools are installed; where CI is set they have to be.
    static let hasLMDBTools =
        ProcessInfo.processInfo.environment["CI"] != nil
        || ["mdb_stat", "mdb_copy", "mdb_dump", "mdb_load"].allSatisfy { lmdb($0) != nil }
}

/// A directory of its own for one test, removed with the last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "larder-tool-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The names in it, sorted.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}
