import ArgumentParser

/// Looks into stores, and keeps them.
@main
struct Cachetool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cachetool",
        abstract: "Looks into Larder stores and keeps them.",
        discussion: """
            Verbs only read, beside whoever has the store open, unless their help says otherwise. Data goes to \
            standard output, talk to standard error.

            \(ExitStatus.help)
            """,
        subcommands: [
            Stat.self, Resources.self, Get.self, List.self, Filters.self, Tokens.self, OutboxVerbs.self, Journal.self,
            Verify.self,
            Dump.self, Load.self, Diff.self, Compact.self, Sync.self, Fetch.self, ServeClient.self,
        ])

    static func main() async {
        Interrupt.listen()
        let command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch {
            // The argument parser knows its own errors: help, version and wrong arguments.
            exit(withError: error)
        }
        do {
            try await run(command)
        } catch {
            // Bare exit codes and requests for help are the parser's to end with, too.
            guard let status = ExitStatus(error) else { exit(withError: error) }
            if error as? ToolError != .outputClosed { Terminal.say("\(error)") }
            exit(withError: ExitCode(status.rawValue))
        }
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
