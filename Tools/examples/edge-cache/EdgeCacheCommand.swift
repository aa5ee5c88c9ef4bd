import ArgumentParser
import Foundation
import Larder
import LarderAsyncHTTPClient
import LarderServer
import LarderStore

/// The command line of the edge cache.
@main
struct EdgeCacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edge-cache",
        abstract: "Caches another HTTP service, and answers for it while it is down.",
        discussion: """
            Without --origin, a demo service of its own is started on this machine and cached. SIGINT ends the program; \
            requests under way are answered first.

            EXAMPLE: edge-cache --origin http://127.0.0.1:9000 --port 8080 --cap 1GiB
            """)

    @Option(help: "The address of the service, such as http://127.0.0.1:9000.", transform: address(of:))
    var origin: BaseURL?

    @Option(help: "The port of 127.0.0.1 to listen on; 0 for any that is free.")
    var port: UInt16 = 8080

    @Option(help: "The directory of the stored responses.", completion: .directory)
    var directory = CacheLocation.applicationSupport("larder-edge-cache").path

    @Option(help: "The most bytes to store, such as 256MiB or 2GiB.")
    var cap = ByteCount(bytes: 256 << 20)

    @Option(help: "The longest wait for the service, in seconds.")
    var timeout = 10

    @Flag(help: "While the service is down, also answer with responses that forbid it (must-revalidate).")
    var alwaysStale = false

    func validate() throws {
        if timeout < 1 { throw ValidationError("The timeout is at least a second.") }
    }

    func run() async throws {
        #if Server && AsyncHTTPClient
        let store = try Store.open(at: directory, options: StoreOptions(sizeCap: cap.bytes))
        let transport = AsyncHTTPClientTransport()
        if let origin {
            try await serve(origin, store, transport)
        } else {
            try await DemoOrigin.router().serve { demo in
                Self.report("no --origin is given: a demo service runs at \(demo)")
                try await serve(try Self.address(of: demo), store, transport)
            }
        }
        await transport.shutdown()
        try store.close()
        #else
        throw ValidationError("Build it with --traits Server,AsyncHTTPClient.")
        #endif
    }

    #if Server && AsyncHTTPClient
    private func serve(_ origin: BaseURL, _ store: Store, _ transport: any Transport) async throws {
        let edge = Edge(
            of: origin, store: store, transport: transport, timeout: .seconds(timeout), alwaysServesStale: alwaysStale)
        try await edge.run(port: Int(port)) { port in
            Self.report("\(origin) is cached at http://127.0.0.1:\(port)")
            Self.report("try: curl -i http://127.0.0.1:\(port)/")
        }
    }

    /// Writes a line at once; `print` would hold it back where the output is a file.
    private static func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
    #endif

    private static func address(of text: String) throws -> BaseURL {
        guard let address = BaseURL(text) else { throw ValidationError("\(text) is no plain http address") }
        return address
    }
}

/// A number of bytes on the command line: `256MiB`.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int64

    private static let units: [(name: String, bytes: Int64)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]

    init(bytes: Int64) { self.bytes = bytes }

    /// Creates the number that a text states; nil unless it is a positive number with a unit, or without one.
    init?(argument: String) {
        let unit = Self.units.first { argument.hasSuffix($0.name) }
        guard let count = Int64(argument.dropLast(unit?.name.count ?? 0)), count > 0 else { return nil }
        let product = count.multipliedReportingOverflow(by: unit?.bytes ?? 1)
        guard !product.overflow else { return nil }
        bytes = product.partialValue
    }

    var defaultValueDescription: String { "\(bytes >> 20)MiB" }
}
