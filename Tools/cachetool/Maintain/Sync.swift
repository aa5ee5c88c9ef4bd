import ArgumentParser
import Foundation
import Larder
import LarderStore
import LarderSync

#if AsyncHTTPClient
import LarderAsyncHTTPClient
#else
import LarderURLSession
#endif

/// Syncs a store with a server.
struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sync a store with a server.",
        discussion: """
            Writes: runs one filter once, from its token to the server's newest. Makes the store when there is none. A \
            run that fails or is interrupted leaves what readers see whole and the token as it was; the next one goes \
            on. Shows progress on standard error. With --watch it keeps the filter in sync until it is interrupted, \
            tries again what failed, and shows the status: on a terminal it draws over itself, otherwise it \
            prints a line for every change. Ends with 3 when the server's answer cannot be used, with 4 when it \
            cannot be reached or refuses.

            JSON: {filter, kind, pages, mutations, rowsChanged, snapshots, snapshotRows, snapshotBytes, hidden, \
            unknownMutations, untilSequence}.

            EXAMPLE: cachetool sync /data/store https://api.example.org/content 'translations:19;tafsirs:*'

            \(ExitStatus.help)
            """)

    @Argument(help: "The store's directory.", completion: .directory)
    var store: String
    @Argument(help: "The server's base address.")
    var url: String
    @Argument(help: "What to sync: GROUP:* or GROUP:ID,ID, several joined by semicolons.")
    var filter: String
    @Option(help: "A header field to send, NAME:VALUE. Repeatable; never printed. Other users can see command lines.")
    var header: [String] = []
    @Option(help: "A file with such header fields, one per line.", completion: .file())
    var headerFile: String?
    @Flag(help: "Keep the filter in sync, and show its status.")
    var watch = false
    @Option(help: "With --watch: seconds from one run to the next.")
    var every = 60
    @Flag(help: "Treat the content of another address as this server's: it is the same server under a new name.")
    var adopt = false
    @OptionGroup var key: KeyArgument
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if watch, printing.json { throw ValidationError("--watch cannot be combined with --json.") }
        if every < 1 { throw ValidationError("--every must be a number of seconds, 1 or more.") }
        if BaseURL(url) == nil {
            throw ValidationError("The URL must be http or https with a host, and at most a port and a path.")
        }
        _ = try parsedFilter()
        _ = try HTTPFields(lines: header)
    }

    func run() async throws {
        guard let base = BaseURL(url) else { throw ToolError.usage("The URL is none.") }
        var lines = header
        if let headerFile {
            guard let text = try? String(contentsOfFile: headerFile, encoding: .utf8) else {
                throw ToolError.system("Could not read the header file.")
            }
            lines += text.split(separator: "\n").map(String.init)
        }
        let (filter, fields) = (try parsedFilter(), try HTTPFields(lines: lines))
        let opened = try StoreArgument.open(
            store, StoreOptions(), .system(logger: .tool(redacted: printing.redact)))
        defer { try? opened.close() }
        let redactor = Redactor(isOn: printing.redact, store: try opened.read { try $0.format().storeID })
        if adopt {
            do {
                try opened.read { view in try view.checkServer(base.identity, of: .sync) }
            } catch let mismatch as ServerMismatch {
                try await opened.adopt(mismatch)
            }
        }
        #if AsyncHTTPClient
        let transport = AsyncHTTPClientTransport()
        #else
        let transport = URLSessionTransport()
        #endif
        let context = Context(
            store: opened, transport: transport, configuration: SyncConfiguration(base: base),
            credentials: FixedCredentials(fields), redactor: redactor)
        let outcome = watch ? await watch(filter, context) : await once(filter, context)
        #if AsyncHTTPClient
        await transport.shutdown()
        #endif
        do {
            if let report = try outcome.get() { try print(report, redactor) }
        } catch SyncError.otherServer(let mismatch) {
            throw ToolError.usage(
                "The store has content of \(redactor.text(mismatch.stored)), not of \(redactor.text(mismatch.configured)). "
                    + "Nothing was sent or removed. If both are one server, add --adopt; otherwise name another directory."
            )
        } catch let error as SyncError {
            Terminal.printMessage("what was stored stays, and the next sync goes on from it")
            throw error
        }
    }

    /// The objects that a sync needs.
    struct Context: Sendable {
        let store: Store
        let transport: any Transport
        let configuration: SyncConfiguration
        let credentials: any Credentials
        let redactor: Redactor
    }

    private func once(_ filter: ResourceFilter, _ place: Context) async -> Result<SyncReport?, any Error> {
        let display = SyncDisplay(place.redactor)
        let sync = ContentSync(
            store: place.store, transport: place.transport, configuration: place.configuration,
            credentials: place.credentials
        ) { display.show($0) }
        defer { display.end() }
        return await Self.untilInterrupted { try await sync.sync(filter) }
    }

    /// Runs `work`; when a signal is received, cancels it and waits for its end.
    static func untilInterrupted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskGroup(of: Result<Value, any Error>.self) { group in
            group.addTask {
                do {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                while !Interrupt.isRequested, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
                return .failure(ToolError.interrupted)
            }
            let first = await group.next() ?? .failure(ToolError.interrupted)
            group.cancelAll()
            return first
        }
    }

    private func print(_ report: SyncReport, _ redactor: Redactor) throws {
        guard printing.json else {
            return try Terminal.print(
                "\(report.kind.rawValue): \(report.mutations) changes on \(report.pages) pages, \(report.snapshots) "
                    + "snapshots with \(report.snapshotRows) rows, \(report.rowsChanged) rows changed, "
                    + "\(report.hidden) resources hidden")
        }
        try Terminal.print([
            "filter": redactor.json(report.filter), "kind": .string(report.kind.rawValue),
            "pages": .count(report.pages), "mutations": .count(report.mutations),
            "rowsChanged": .count(report.rowsChanged), "snapshots": .count(report.snapshots),
            "snapshotRows": .count(report.snapshotRows), "snapshotBytes": .count(report.snapshotBytes),
            "hidden": .count(report.hidden), "unknownMutations": .count(report.unknownMutations),
            "untilSequence": .integer(report.untilSequence),
        ])
    }
}

extension Sync {
    private func parsedFilter() throws -> ResourceFilter {
        do throws(ResourceFilter.Fault) {
            return try ResourceFilter(filter)
        } catch {
            throw ValidationError("The filter is none (\(error)): write GROUP:* or GROUP:ID,ID.")
        }
    }
}
