// Probe: runs the helper program in a child process.

import Foundation
import Testing

/// The helper program in a process of its own.
final class Probe {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Where the build puts its programs, this test among them.
    static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    init(_ arguments: String..., environment: [String: String] = [:], inNewNamespace: Bool = false) throws {
        let program = Self.products.appending(path: "engine-probe")
        process.executableURL = inNewNamespace ? URL(fileURLWithPath: "/usr/bin/unshare") : program
        process.arguments = inNewNamespace ? ["--pid", "--fork", program.path] + arguments : arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits until it says that it is ready, and returns what it said before.
    @discardableResult
    func waitUntilReady() -> [String] {
        var text = ""
        while !text.contains("ready\n") {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        #expect(text.contains("ready\n"))
        return text.split(separator: "\n").dropLast().map(String.init)
    }

    /// Ends it as a power cut would, and waits until it is gone.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        waitUntilKilled()
    }

    /// Waits until a signal has ended it.
    func waitUntilKilled() {
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
    }

    /// Lets it go on, waits for its end, and returns what it said.
    @discardableResult
    func finish() -> [String] {
        try? input.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
        return text.split(separator: "\n").map(String.init)
    }
}

/// Runs a program and returns its exit status and what it said.
func run(_ program: String, _ arguments: String...) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
}

/// Runs `body` on `count` threads at once and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}
