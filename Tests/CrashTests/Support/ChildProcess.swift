// ChildProcess: a `crash-child` under way, and what it has acknowledged.

import CrashWorld
import Foundation
import Testing

/// A `crash-child` under way, and what it has acknowledged.
final class ChildProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var buffer: [UInt8] = []
    private(set) var isAtEnd = false

    /// Where the products of the build lie.
    static var products: URL {
        #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            return bundle.bundleURL.deletingLastPathComponent()
        }
        return Bundle.main.bundleURL
        #else
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        #endif
    }

    /// Starts a child.
    ///
    /// - Parameter environment: added to this process's.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = Self.products.appending(path: "crash-child")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// A child does not outlive the test that started it, however that ends.
    deinit {
        if process.isRunning { kill() }
    }

    /// The system's number of the process.
    var processID: Int32 { process.processIdentifier }

    /// The next line, waiting until `deadline`; nil when none came, see ``isAtEnd``.
    func nextLine(until deadline: ContinuousClock.Instant) throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            if isAtEnd { return nil }
            let rest = ContinuousClock.now.duration(to: deadline)
            let milliseconds = rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
            var request = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&request, 1, Int32(clamping: max(0, milliseconds)))
            if ready == 0 { return nil }
            if ready > 0 { readAvailable() }
        }
    }

    /// The next acknowledgement; nil when none came until `deadline`.
    func next(until deadline: ContinuousClock.Instant) throws -> Acknowledgement? {
        guard let line = try nextLine(until: deadline) else { return nil }
        guard let acknowledgement = Acknowledgement(line) else { throw UnknownLine(line: line) }
        return acknowledgement
    }

    /// Ends it as nothing else can.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits for its end, and answers what it had acknowledged and nobody has read.
    func finish() throws -> (rest: [Acknowledgement], wasKilled: Bool) {
        let (lines, wasKilled) = try finishLines()
        let rest = try lines.map { line in
            guard let acknowledgement = Acknowledgement(line) else { throw UnknownLine(line: line) }
            return acknowledgement
        }
        return (rest, wasKilled)
    }

    /// Waits for its end, and answers the lines that nobody has read.
    func finishLines() throws -> (rest: [String], wasKilled: Bool) {
        var rest: [String] = []
        let deadline = ContinuousClock.now + .seconds(60)
        while let line = try nextLine(until: deadline) { rest.append(line) }
        if !isAtEnd { kill() }
        process.waitUntilExit()
        let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        if !wasKilled, process.terminationReason != .exit || process.terminationStatus != 0 {
            let errorText = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            Issue.record("a child ended with \(process.terminationStatus): \(errorText.suffix(2000))")
        }
        return (rest, wasKilled)
    }

    private func readAvailable() {
        var chunk = [UInt8](repeating: 0, count: 16384)
        let count = unsafe chunk.withUnsafeMutableBytes {
            unsafe read(output.fileHandleForReading.fileDescriptor, $0.baseAddress, $0.count)
        }
        if count > 0 { buffer.append(contentsOf: chunk[..<count]) } else if count == 0 { isAtEnd = true }
    }
}

/// A child wrote what is no acknowledgement.
struct UnknownLine: Error {
    let line: String
}
