// ChildProcess: runs a program to its end, within a time.

import Glibc

/// The end of a process.
enum ProcessEnd: Hashable {
    case exit(Int32)
    case signal(Int32)
    case hang
}

enum ChildProcess {
    /// Runs a program, whose output goes to a file; it is killed after 20 seconds.
    ///
    /// - Parameter environment: added to this process's.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], output: String = "/dev/null"
    ) throws -> ProcessEnd {
        wait(for: try start(arguments, environment: environment, output: output))
    }

    /// Starts a program, and returns its number.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], output: String = "/dev/null"
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var variables: [String] = environment.map { "\($0.key)=\($0.value)" }
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            variables.append(unsafe String(cString: variable))
            unsafe next += 1
        }
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var values = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe values.forEach { unsafe free($0) }
        }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, arguments[0], &actions, nil, &words, &values) == 0 else {
            throw ToolFailure("\(arguments[0]) cannot be run")
        }
        return process
    }

    /// Kills a process as nothing else can; returns whether it had ended by itself.
    static func kill(_ process: pid_t) -> Bool {
        var status: Int32 = 0
        Glibc.kill(process, SIGKILL)
        _ = unsafe waitpid(process, &status, 0)
        return status & 0x7F != SIGKILL
    }

    private static func wait(for process: pid_t) -> ProcessEnd {
        var status: Int32 = 0
        for _ in 0..<20_000 {
            if unsafe waitpid(process, &status, WNOHANG) == process {
                let signal = status & 0x7F
                return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
            }
            usleep(1000)
        }
        Glibc.kill(process, SIGKILL)
        _ = unsafe waitpid(process, &status, 0)
        return .hang
    }
}
