import ArgumentParser
import Foundation
import HTTPTypes
import Larder
import LarderHTTP

/// Fetches a URL through the cache.
struct Fetch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fetch a URL through the cache.",
        discussion: """
            Prints the body. Writes to the store of --store, which is made when there is none; without it nothing is \
            remembered. --explain says on standard error, in plain words, where the answer comes from, how fresh it \
            is, and why it was used and kept. Ends with 1 when --strategy cache-only finds nothing, and with 4 when the \
            server cannot be reached, or answers with a status of 400 or above, whose body is printed all the same.

            JSON: {url, status, headers, origin, state, stateAt, ageSeconds, reuse, reuseReason, storage, \
            storageReason, body}, with bodyBase64 in place of a body that is not UTF-8.

            EXAMPLE: cachetool fetch https://api.example.org/a --store /data/store --explain

            \(ExitStatus.help)
            """)

    /// The strategies by the names of the command line.
    enum Strategy: String, CaseIterable, ExpressibleByArgument {
        case standard
        case staleIfOffline = "stale-if-offline"
        case networkElseCache = "network-else-cache"
        case networkOnly = "network-only"
        case reload
        case cacheElseNetwork = "cache-else-network"
        case cacheOnly = "cache-only"

        func named(within limit: Duration?) -> SingleAnswerStrategy {
            switch self {
            case .standard: .standard
            case .staleIfOffline: .staleIfOffline
            case .networkElseCache: limit.map { .networkElseCache(within: $0) } ?? .networkElseCache
            case .networkOnly: .networkOnly
            case .reload: .reload
            case .cacheElseNetwork: .cacheElseNetwork
            case .cacheOnly: .cacheOnly
            }
        }
    }

    @Argument(help: "What to fetch: an http or https address.")
    var url: String
    @Option(help: "How the cache is weighed against the network.")
    var strategy = Strategy.standard
    @Option(help: "With network-else-cache: seconds after which the cached response is used.")
    var within: Double?
    @Option(help: "The directory of the store that remembers.", completion: .directory)
    var store: String?
    @Option(help: "A header field to send, NAME:VALUE. Repeatable; never printed. Other users can see command lines.")
    var header: [String] = []
    @Option(help: "Store and look up the response under this key instead of the URL.")
    var key: String?
    @Flag(help: "Request the head only.")
    var head = false
    @Flag(help: "Do as if there were no network.")
    var offline = false
    @Flag(help: "Print the origin of the response, and why.")
    var explain = false
    @Option(help: "Write the body to this file.", completion: .file())
    var output: String?
    @Flag(help: "Print JSON, one object, with the members that the help names.")
    var json = false

    func validate() throws {
        if FetchRequest(url) == nil { throw ValidationError("The URL is not an http or https address.") }
        if let within, !(within > 0 && within < 86_400) {
            throw ValidationError("--within must be a number of seconds above 0 and below a day.")
        }
        if within != nil, strategy != .networkElseCache {
            throw ValidationError("--within requires --strategy network-else-cache.")
        }
        if json, output != nil { throw ValidationError("--json prints the body: leave --output out.") }
        _ = try HTTPFields(lines: header)
    }

    func run() async throws {
        guard var request = FetchRequest(url, method: head ? .head : .get, fields: try HTTPFields(lines: header)) else {
            throw ToolError.usage("The URL is none.")
        }
        request.key = key
        let opened = try store.map { try StoreArgument.open($0, StoreOptions(), .system(logger: .tool)) }
        defer { try? opened?.close() }
        let network = NetworkAccess(isOffline: offline)
        let isOffline = offline
        let cache = HTTPCache(
            transport: network.transport, persistent: opened.map { StoreResponseCache(store: $0) },
            memory: MemoryResponseCache(), services: .system(logger: .tool), isOnline: { !isOffline })
        let limit = within.map { Duration.seconds($0) }
        let (wanted, named) = (request, strategy.named(within: limit))
        let outcome = await Sync.untilInterrupted {
            let fetched = try await cache.fetch(wanted, named)
            return (fetched, try await fetched.value.body.bytes(upTo: Self.bodyLimit))
        }
        await cache.close()
        await network.shutdown()
        let (fetched, body) = try outcome.get()
        try show(fetched, body)
        if fetched.value.head.status.code >= 400 { throw ExitStatus.system.code }
    }

    /// The longest body that the tool holds in memory, in bytes.
    private static let bodyLimit = 1 << 30

    private func show(_ fetched: Fetched<HTTPAnswer>, _ body: [UInt8]) throws {
        let explanation = FetchExplanation(fetched)
        if explain { explanation.lines.forEach(Terminal.printError) }
        if json { return try Terminal.print(explanation.json(url: url, body: body)) }
        guard let output else { return try Terminal.write(content: body) }
        try NewFile.write(output) { put in try put(body) }
    }
}
