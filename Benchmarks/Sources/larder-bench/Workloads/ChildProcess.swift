// ChildProcess: programs run beside this one, and the processor time that they use.

import Foundation

/// Runs programs beside this one.
enum ChildProcess {
    /// Returns the path of a program in the directory of this one; nil, with a message, where it is not built.
    static func sibling(_ name: String) -> String? {
        let directory = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = directory.appending(path: name).path
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        FileHandle.standardError.write(Data("left out, without swift build -c release --product \(name)\n".utf8))
        return nil
    }

    /// Runs a program to its end. Returns the milliseconds of processor time that it used.
    ///
    /// - Parameter command: the path or the name of the program, and its arguments.
    static func processorTime(_ command: [String]) throws -> Double {
        let before = processorTimeOfChildren()
        let process = process(command)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try expect(process.terminationStatus, 0, "the exit status of \(command.joined(separator: " "))")
        return (processorTimeOfChildren() - before).milliseconds
    }

    /// Returns a program that is not running yet.
    static func process(_ command: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        return process
    }

    private static func processorTimeOfChildren() -> Duration {
        var usage = rusage()
        getrusage(Int32(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) { sum, time in
            sum + .seconds(time.tv_sec) + .microseconds(time.tv_usec)
        }
    }
}
