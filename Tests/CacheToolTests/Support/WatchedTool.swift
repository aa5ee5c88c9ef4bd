// WatchedTool: runs cachetool and reads its output line by line, on a pipe or a terminal.

import Foundation
import Testing

/// The tool while it runs, line by line, on a pipe or on a terminal.
final class WatchedTool {
    private let process = Process()
    private let output: FileHandle
    private var buffer: [UInt8] = []

    init(_ arguments: [String], onTerminal: Bool = false) throws {
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if onTerminal {
            var (near, far): (Int32, Int32) = (-1, -1)
            // Both are written by the call and live through it; nothing else is asked for.
            let outcome = unsafe openpty(&near, &far, nil, nil, nil)
            try #require(outcome == 0)
            output = FileHandle(fileDescriptor: near, closeOnDealloc: true)
            let terminal = FileHandle(fileDescriptor: far, closeOnDealloc: true)
            process.standardOutput = terminal
            try process.run()
            try terminal.close()
        } else {
            let pipe = Pipe()
            output = pipe.fileHandleForReading
            process.standardOutput = pipe
            try process.run()
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// The next line, waited for: ten seconds at most, then the test fails.
    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var request = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            // One descriptor, which lives through the call.
            let ready = unsafe poll(&request, 1, 10_000)
            try #require(ready > 0, "the tool says nothing")
            let chunk = output.availableData
            try #require(!chunk.isEmpty, "the tool has ended")
            buffer.append(contentsOf: chunk)
        }
    }

    /// Interrupts the tool and waits for its end.
    func interrupt() -> Int32 {
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        return process.terminationStatus
    }
}
