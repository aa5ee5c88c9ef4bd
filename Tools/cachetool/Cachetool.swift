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
            Stat.self, Resources.self, Get.self, List.self, Tokens.self, Outbox.self, Dump.self, Load.self, Diff.self,
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
        } catch let code as ExitCode {
            exit(withError: code)
        } catch let clean as CleanExit {
            exit(withError: clean)
        } catch {
            if error as? ToolError != .outputClosed { Terminal.say("\(error)") }
            exit(withError: ExitCode(ExitStatus(error).rawValue))
        }
    }

    private static func run(_ command: any ParsableCommand) async throws {
        var command = command
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}
