// SpawnedProgram: runs a program in a child process without Foundation's Process.

#if os(Linux)
import Foundation
import Glibc

/// A program in a process of its own, started without Foundation.
///
/// `Process.run` lists this process's open descriptors and copies whole directory entries, the last one from beyond the end of
/// its buffer: with more than about 1,300 of them open, which hundreds of tests at a time have, it can crash.
public struct SpawnedProgram {
    /// Its status, as `waitpid` gives it; 0 when it ended well.
    public let status: Int32
    /// What it printed.
    public let output: String

    /// Runs a program to its end, on a thread of its own.
    public static func run(_ path: String, _ arguments: [String]) async throws -> SpawnedProgram {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try runBlocking(path, arguments) }) }
        }
    }

    /// Runs a program to its end; blocks the thread until then.
    static func runBlocking(_ path: String, _ arguments: [String]) throws -> SpawnedProgram {
        let printed = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: printed) }
        let status = try wait(for: spawn(path, arguments, printingTo: printed))
        return SpawnedProgram(status: status, output: try String(contentsOfFile: printed, encoding: .utf8))
    }

    private static func spawn(_ path: String, _ arguments: [String], printingTo file: String) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // The copies live until the call is over; the child has its own by then.
        let words = unsafe ([path] + arguments).map { unsafe strdup($0) }
        let environment = unsafe ProcessInfo.processInfo.environment.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, path, &actions, nil, words + [nil], environment + [nil])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        return child
    }

    private static func wait(for child: pid_t) throws -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) == -1 {
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
        }
        return status
    }
}
#endif
