// ClientTool: runs `cachetool serve-client`, one line in and one line out.

import Foundation
import Testing

/// `serve-client` while it runs: a line in, a line out.
final class ClientTool {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer: [UInt8] = []

    init(_ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: Tool.path)
        process.arguments = ["serve-client"] + arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Sends a request and waits for the next reply, twenty seconds at most.
    func roundTrip(_ request: [String: Any]) throws -> [String: Any] {
        try send(request)
        return try reply()
    }

    func send(_ request: [String: Any]) throws {
        try send(line: Array(try JSONSerialization.data(withJSONObject: request)))
    }

    func send(line: [UInt8]) throws { try input.fileHandleForWriting.write(contentsOf: Data(line + [0x0A])) }

    func reply() throws -> [String: Any] {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = Data(buffer[..<end])
                buffer.removeFirst(end + 1)
                return try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            }
            var request = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            // One descriptor, which lives through the call.
            let ready = unsafe poll(&request, 1, 20_000)
            try #require(ready > 0, "the tool says nothing")
            let chunk = output.fileHandleForReading.availableData
            try #require(!chunk.isEmpty, "the tool has ended")
            buffer.append(contentsOf: chunk)
        }
    }

    /// Ends the input and waits for the end.
    func finish() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// The values of a header field of a reply.
func values(_ name: String, _ reply: [String: Any]) -> [String] {
    let headers = reply["headers"] as? [[String]] ?? []
    return headers.filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
}
