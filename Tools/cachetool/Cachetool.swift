import ArgumentParser
import Foundation
import LarderFormat

/// Inspects and maintains stores.
@main
struct Cachetool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cachetool",
        abstract: "Inspects and maintains Larder stores.",
        discussion: """
            Verbs only read, also while other processes have the store open, unless their help says otherwise. Data \
            goes to standard output, messages to standard error.

            \(ExitStatus.help)
            """,
        subcommands: [
            InspectVerb.self, Watch.self, Doctor.self, Stat.self, Resources.self, Get.self, List.self, SQLVerb.self,
            SearchVerb.self,
            Responses.self,
            Collections.self, Filters.self, Tokens.self,
            OutboxVerbs.self, Journal.self, Evict.self, Pin.self, Verify.self,
            Dump.self, Load.self, Salvage.self, Diff.self, Compact.self, Sync.self, Fetch.self, ServeClient.self,
            ManualVerb.self,
        ])

    static func main() async {
        Interrupt.installHandlers()
        do {
            try checkArguments()
            try await run(command(of: Array(CommandLine.arguments.dropFirst())))
        } catch {
            // The parser also ends the process for plain exit codes and requests for help.
            guard let status = ExitStatus(error) else { end(error) }
            if error as? ToolError != .outputClosed { Terminal.printMessage("\(error)") }
            exit(withError: ExitCode(status.rawValue))
        }
    }

    /// Throws when an argument is not UTF-8: its bytes would be repaired, and name another file.
    private static func checkArguments() throws(ToolError) {
        for number in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = unsafe CommandLine.unsafeArgv[number] else { return }
            if unsafe String(validatingCString: bytes) == nil {
                throw .usage("Argument \(number) is not UTF-8: name the file by a path that is.")
            }
        }
    }

    /// Returns the command of the arguments; ends the process when they are invalid.
    private static func command(of arguments: [String]) -> any ParsableCommand {
        do {
            return try parseAsRoot(arguments)
        } catch {
            do {
                // The message repeats arguments including line ends, so it is created again from escaped ones.
                _ = try parseAsRoot(arguments.map { $0.escaped() })
            } catch {
                end(error)
            }
            end(error)
        }
    }

    /// Ends the process as the argument parser does for its own errors (help, wrong arguments, exit codes), with
    /// escaped text.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let text = fullMessage(for: error).escaped(keeping: ["\n", "\t"])
        if !text.isEmpty {
            try? Terminal.write(Array("\(text)\n".utf8), to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO)
        }
        exit(withError: code)
    }

    private static func run(_ command: sending any ParsableCommand) async throws {
        var command = command
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}
