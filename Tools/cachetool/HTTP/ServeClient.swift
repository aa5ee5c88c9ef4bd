import ArgumentParser
import Foundation
import HTTPTypes
import Larder
import LarderHTTP
import Synchronization

/// Sends requests from standard input through the cache, for programs that test caches.
struct ServeClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-client",
        abstract: "Send requests from standard input through the cache.",
        discussion: """
            Reads one JSON object per line: {id, method, url, headers: [[name, value], ...], body or body_b64, cache, \
            timeout}; only url is needed. Each is sent through the cache by the strategy "standard", as it is: nothing \
            is followed, repeated, decoded or added but what HTTP needs (Host, Content-Length) and validation asks for. \
            Values of header fields are bytes, written as the characters of ISO-8859-1. Requests run at the same time; \
            replies come as they are ready. cache is a mode of fetch(): default, no-cache, no-store, reload, \
            force-cache, only-if-cached. timeout is in seconds, or in milliseconds from 1000 on.

            Writes one JSON object per line: {id, status, headers, body}, with body_b64 in place of a body that is not \
            UTF-8, or {id, error: {name, message}}. Names: NoConnection, Timeout, Network, NotCached, InvalidRequest, \
            Cancelled, Cache. Ends when its input does and all replies are written.

            The store is in memory, unless --store names one. Built without the trait AsyncHTTPClient, header fields of \
            one name are joined, their values must be UTF-8, and compressed bodies are decoded or refused.

            EXAMPLE: cachetool serve-client --store /data/store < requests.jsonl

            \(ExitStatus.help)
            """,
        shouldDisplay: false)

    @Option(help: "The directory of the store that remembers.", completion: .directory)
    var store: String?

    /// The maximum number of requests under way at a time.
    private static let concurrency = 64

    func run() async throws {
        let opened = try store.map { try StoreArgument.open($0, StoreOptions(), .system(logger: .tool)) }
        defer { try? opened?.close() }
        let network = NetworkAccess(isTransparent: true, connectionsPerHost: Self.concurrency)
        let cache = HTTPCache(
            transport: network.transport, persistent: opened.map { StoreResponseCache(store: $0) },
            memory: MemoryResponseCache(maximumBytes: 256 << 20),
            options: HTTPCacheOptions(concurrentExchanges: Self.concurrency), services: .system(logger: .tool))
        let output = ReplyWriter()
        let outcome = await Sync.untilInterrupted { () -> Void in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for try await line in Self.lines() {
                    group.addTask { try output.write(await ClientExchange(cache: cache, line: line).reply()) }
                }
                try await group.waitForAll()
            }
        }
        await cache.close()
        await network.shutdown()
        try outcome.get()
    }

    /// Returns the lines of standard input, read by a thread that may block.
    private static func lines() -> AsyncThrowingStream<[UInt8], any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread {
            do {
                var reader = try LineReader("-", allowsMissingLineEnd: true)
                while let line = try reader.next() {
                    if line.contains(where: { $0 > 0x20 }) { continuation.yield(line) }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return stream
    }
}

/// Writes whole lines, one at a time.
private final class ReplyWriter: Sendable {
    private let lock = Mutex(())

    func write(_ reply: JSON) throws {
        try lock.withLock { _ in try Terminal.print(reply) }
    }
}
