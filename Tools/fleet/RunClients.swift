#if Server && Postgres && AsyncHTTPClient
import ArgumentParser
import Foundation
import Larder
import LarderAsyncHTTPClient
import LarderFormat
import LarderStore
import LarderSync
import Synchronization

/// A row that the clients of the fleet write.
struct Note: LocalRow, Hashable {
    static let schema = RowSchema("note", in: .group("notes"))

    var id: String
    var text: String
    /// The time of the write, in milliseconds since 1970.
    var at: Int64
}

/// Some clients of the fleet, each with a store of its own.
struct RunClients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "Syncs and writes until a file appears, then until all equals the origin.")

    @Option(help: "The address of the servers.")
    var base: String

    @Option(help: "The directory of the stores; those of an earlier process are opened again.")
    var directory: String

    @Option(help: "The number of clients.")
    var count = 50

    @Option(help: "The file at whose appearance the clients stop to write.")
    var until: String

    @Option(help: "The mean pause of a client between two writes, in milliseconds.")
    var pause: Int64 = 20_000

    @Option(help: "The pause of a client between two runs, in milliseconds.")
    var refresh: Int64 = 30_000

    func run() async throws {
        let log = try AcknowledgedWrites(directory + "/acknowledged")
        let transport = AsyncHTTPClientTransport()
        let services = CacheServices.system(transport)
        var clients: [Client] = []
        for number in 0..<count {
            let name = "\(directory.split(separator: "/").last ?? "")-\(number)"
            clients.append(
                try await Client(
                    name, at: directory + "/\(number)", base: base, refresh: .milliseconds(refresh), services))
        }
        let running = clients.map { client in Task { try await client.cache.run() } }
        let latencies = Latencies()
        let watching = clients.prefix(1).map { client in Task { try await client.watch(latencies) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask { [until, pause] in
                    while !FileManager.default.fileExists(atPath: until) {
                        try await Task.sleep(for: .milliseconds(Int64.random(in: pause / 2...pause * 3 / 2)))
                        try log.append(try await client.write())
                    }
                }
            }
            try await group.waitForAll()
        }
        let problems = try await atRest(clients)
        print(latencies.summary)
        for problem in problems { print("PROBLEM", problem) }
        for task in running + watching { task.cancel() }
        for task in running { _ = await task.result }
        for client in clients { try await client.cache.close() }
        await transport.shutdown()
        if !problems.isEmpty { throw ExitCode(1) }
    }

    /// Waits until every client equals the origin, at most two minutes; returns what differs then.
    private func atRest(_ clients: [Client]) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(120)
        let content = OriginContent(base: base + "/content")
        while true {
            try await content.refresh()
            var problems: [String] = []
            for client in clients {
                guard let difference = try await client.difference(from: content) else { continue }
                problems.append("\(client.name): \(difference)")
                client.cache.content?.trigger(.manual(nil))
            }
            if problems.isEmpty || ContinuousClock.now > deadline { return problems }
            try await Task.sleep(for: .seconds(1))
        }
    }
}

/// One client: a cache that syncs and writes.
final class Client: Sendable {
    static let resources: ClosedRange<Int64> = 1...8

    let name: String
    let cache: ContentCache

    init(
        _ name: String, at path: String, base: String, refresh: Duration, _ services: CacheServices
    ) async throws {
        self.name = name
        guard let content = BaseURL(base + "/content"), let writes = BaseURL(base) else {
            throw ValidationError("\(base) is no address")
        }
        var options = CacheOptions()
        options.hasAccounts = false
        options.contentIsShared = true
        options.sync.refreshInterval = refresh
        options.sync.minimumAge = .zero
        options.sync.listensForChanges = true
        options.sync.retry.limit = .seconds(5)
        options.outbox.retry.limit = .seconds(5)
        cache = try await ContentCache.open(
            .directory(path), content: content, writes: writes, rows: [Note.self], services: services,
            options: options)
        cache.content?.add(ResourceFilter("notes:*"))
    }

    /// Writes a note of a new name; it is durable when this returns. Returns its name.
    func write() async throws -> String {
        let id = "\(name)-\(UUID().uuidString)"
        let resource = Int64.random(in: Self.resources)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try await cache.put(
            Note(id: id, text: String(repeating: "offline ", count: 12), at: now), to: "/notes/\(resource)/\(id)",
            in: ResourceKey("notes", resource))
        return id
    }

    /// Notes how long the notes of others take from their write until they are shown here.
    func watch(_ latencies: Latencies) async throws {
        let start = Int64(Date().timeIntervalSince1970 * 1000)
        var known: Set<String> = []
        while !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(200))
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            for resource in Self.resources {
                for note in try cache.rows(Note.self, in: ResourceKey("notes", resource))
                where note.at > start && !note.id.hasPrefix(name) && known.insert(note.id).inserted {
                    latencies.add(now - note.at)
                }
            }
        }
    }

    /// What differs between the client and the origin; nil where nothing does.
    func difference(from content: OriginContent) async throws -> String? {
        if let unsent = try await unsent, unsent > 0 { return "\(unsent) writes are not sent" }
        for resource in Self.resources {
            let rows = try cache.rows(Note.self, in: ResourceKey("notes", resource))
            let expected = content.notes(of: resource)
            if Set(rows) != expected { return "notes/\(resource) has \(rows.count) rows, not \(expected.count)" }
        }
        return nil
    }

    private var unsent: Int? {
        get async throws {
            guard let outbox = cache.outbox else { return nil }
            for await status in outbox.statuses() { return status.unsent }
            return nil
        }
    }
}
#endif
