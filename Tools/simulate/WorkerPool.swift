import ArgumentParser
import Foundation

/// Plays histories in several processes, each with a part of the seeds: a trap ends one process, and the others
/// continue.
struct WorkerPool {
    let command: Simulate

    func run() throws {
        let parts = split(command.seeds.range, into: command.jobs)
        let workers = try parts.map { try Worker(arguments(for: $0)) }
        var hasSucceeded = true
        for worker in workers where !worker.finish() { hasSucceeded = false }
        if !hasSucceeded { throw ExitCode(1) }
    }

    private func arguments(for part: Range<UInt64>) -> [String] {
        var list = [
            "--worker", "--seeds", "\(part.lowerBound)..<\(part.upperBound)", "--directory", command.directory,
            "--shrink",
            "\(command.shrink)",
        ]
        if let soak = command.soak { list += ["--soak", "\(soak)"] }
        return list
    }

    private func split(_ range: Range<UInt64>, into count: Int) -> [Range<UInt64>] {
        // A soak has no end, so its parts are far apart.
        let whole = command.soak == nil ? UInt64(range.count) : UInt64(count) << 40
        let size = max(1, (whole + UInt64(count) - 1) / UInt64(count))
        return (0..<UInt64(count)).compactMap { index in
            let first = range.lowerBound + index * size
            let last = command.soak == nil ? min(first + size, range.upperBound) : first + size
            return first < last ? first..<last : nil
        }
    }
}

/// One process of a team.
private final class Worker {
    private let process = Process()
    private let output = Pipe()
    private let thread: Thread
    private let done = DispatchSemaphore(value: 0)

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        if let path = Bundle.main.executablePath { process.executableURL = URL(fileURLWithPath: path) }
        process.arguments = arguments
        process.standardOutput = output
        let (handle, done) = (output.fileHandleForReading, done)
        thread = Thread { Worker.forwardOutput(handle, done) }
        try process.run()
        thread.start()
    }

    /// Waits for the end; returns whether the process succeeded.
    func finish() -> Bool {
        process.waitUntilExit()
        done.wait()
        if process.terminationReason == .uncaughtSignal {
            let text = "a process was ended by signal \(process.terminationStatus) in the seed named last\n"
            FileHandle.standardOutput.write(Data(text.utf8))
        }
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// Passes on the output of a process without its seed lines, of which only the last is printed at the end.
    private static func forwardOutput(_ handle: FileHandle, _ done: DispatchSemaphore) {
        var rest = Data()
        var seed = ""
        while true {
            let data = handle.availableData
            if data.isEmpty { break }
            rest += data
            while let end = rest.firstIndex(of: 0x0A) {
                let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                rest = Data(rest[rest.index(after: end)...])
                if line.hasPrefix("@") {
                    seed = String(line.dropFirst())
                } else {
                    FileHandle.standardOutput.write(Data((line + "\n").utf8))
                }
            }
        }
        FileHandle.standardOutput.write(Data("seed \(seed) was the last one of a process\n".utf8))
        done.signal()
    }
}
