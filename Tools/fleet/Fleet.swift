import ArgumentParser

/// The parts of a fleet that `Tools/fleet.sh` starts.
@main
struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "larder-fleet", abstract: "Servers and clients of one content, as Tools/fleet.sh starts them.",
        subcommands: parts)

    private static var parts: [any ParsableCommand.Type] {
        #if Server && Postgres && AsyncHTTPClient
        [ServeNode.self, RunClients.self]
        #else
        []
        #endif
    }
}
