import ArgumentParser
import LarderFormat
import LarderStore

/// Shows a store in a browser.
struct InspectVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show a store in a browser, live.",
        discussion: """
            Serves pages on 127.0.0.1 until it is interrupted, and prints the address of the first one, which holds a \
            token: whoever has it can read the store, so do not share it. The pages show what fills the store, why \
            content is stale, what is not sent and why, which filter brought a row, what the server changed today, the \
            freshness of HTTP responses, and SQL. They follow the store while an app writes it. A file that an app's \
            diagnostics() has made is shown as of the time when it was made.

            Only reads, unless --allow-changes is given: then writes of the outbox can be retried and dropped.

            EXAMPLE: cachetool inspect /data/store --port 8080

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: "The port; any that is free by default.")
    var port = 0
    @Flag(help: "Let the pages retry and drop writes.")
    var allowChanges = false

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("A port is 0 to 65535.") }
    }

    func run() async throws {
        #if Server
        let opened =
            allowChanges ? try StoreArgument.openForChanges(store.store) : try StoreArgument.open(store.store)
        defer { try? opened.close() }
        let diagnostics = try opened.read { view in try view.diagnostics() }
        let path = store.store
        let token = UInt64.random(in: .min ... .max).hexadecimal + UInt64.random(in: .min ... .max).hexadecimal
        let allowsChanges = allowChanges
        let server = InspectorServer { port in
            Inspector(
                store: opened, path: path, token: token, port: port, allowsChanges: allowsChanges,
                diagnostics: diagnostics)
        }
        try await server.serve(port: port) { address in
            try Terminal.print(address)
            Terminal.printMessage("open this address in a browser; Control-C ends it")
            while !Interrupt.isRequested { try await Task.sleep(for: .milliseconds(100)) }
        }
        #else
        throw ToolError.system("This cachetool was built without the trait Server: build it with that.")
        #endif
    }
}
