// ObjectWorld: an object cache under test: a server that is a function, a store in a directory of its own, a virtual clock.

import Foundation
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Logging
import Synchronization
import Testing

/// An object cache under test: a server that is a function, a store in a directory of its own, a virtual clock.
final class ObjectWorld: Sendable {
    let clock = VirtualClock()
    let server = ObjectServer()
    let network: ScriptedTransport
    let store: Store
    let storeFiles = ListCache()
    let memoryFiles = ListCache()
    let memory = MemoryObjectStorage()
    let log = LogLines()
    let connectivity = ScriptedConnectivity(.online)
    let meanwhile = RequestHooks()
    let outbox: Outbox
    let cache: ObjectCache
    private let path: String

    init(
        persistent: [String] = [], isConfigured: Bool = true, hasRealFiles: Bool = false,
        options: ObjectCacheOptions = ObjectCacheOptions(),
        isOnline: @escaping @Sendable () -> Bool = { true }
    ) throws {
        path = FileManager.default.temporaryDirectory.path + "/larder-objects-\(UUID().uuidString)"
        var host = HostServices.virtual(clock)
        host.logger = log.logger
        store = try Store.open(at: path, host: host)
        network = ScriptedTransport(clock: clock) { [server, meanwhile] (request, body) async throws(TransportError) in
            let line = "\(request.method.rawValue) \(request.path ?? "")"
            await meanwhile.run(before: line)
            let answer = try server.answer(request, body)
            await meanwhile.run(during: line)
            return answer
        }
        outbox = try Self.outbox(store, network, connectivity)
        let queue = OutboxWriteQueue(outbox)
        let place = ObjectBackend(objects: StoreObjectStorage(store), files: storeFiles, writes: queue)
        cache = ObjectCache(
            service: ModelService(), transport: network,
            memory: hasRealFiles ? .memory() : ObjectBackend(objects: memory, files: memoryFiles),
            persistent: isConfigured ? (hasRealFiles ? .store(store, writes: queue) : place) : nil,
            classes: persistent.map { ObjectClass($0, persistence: .persistent) }, options: options, host: host,
            isOnline: isOnline)
        for id in 1...4 { server.put("User", String(id), String(id)) }
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Another cache on the same store, as after a restart: what was in memory is gone.
    func restarted(persistent: [String] = []) -> ObjectCache {
        ObjectCache(
            service: ModelService(), transport: network,
            persistent: ObjectBackend(
                objects: StoreObjectStorage(store), files: storeFiles, writes: OutboxWriteQueue(outbox)),
            classes: persistent.map { ObjectClass($0, persistence: .persistent) }, host: .virtual(clock))
    }

    func goOffline() {
        server.set { $0.isOffline = true }
        connectivity.set(.offline)
    }

    func goOnline() {
        server.set { $0.isOffline = false }
        connectivity.set(.online)
    }

    private static func outbox(
        _ store: Store, _ network: ScriptedTransport, _ connectivity: ScriptedConnectivity
    ) throws -> Outbox {
        let configuration = OutboxConfiguration(
            base: BaseURL("http://objects.test"), keyField: OutboxConfiguration.draftKeyField)
        return Outbox(
            store: store, transport: network, configuration: configuration.loadingObjects(of: ModelService()),
            connectivity: connectivity)
    }

    /// Has `act` happen once, after the server has made its answer to a request and before the answer arrives.
    func during(_ line: String, _ act: @escaping @Sendable () async throws -> Void) {
        meanwhile.plan(during: line, act)
    }

    /// Runs the outbox until nothing waits any more, and `body` is over.
    func sendWaitingWrites(_ body: () async throws -> Void = {}) async throws {
        let run = Task { try await outbox.run() }
        let ends = store.values(in: .outbox) { view in
            try view.outboxEntries().allSatisfy { $0.delivery.state == .rejected }
        }
        for try await isOver in ends where isOver { break }
        try await body()
        run.cancel()
        _ = await run.result
    }

    /// The fields of the last request.
    var lastFields: HTTPFields { network.recorded.last?.request.headerFields ?? [:] }

    /// Every row of every class in the store.
    func storedObjects() throws -> [String] {
        try store.read { view in
            try view.allResources().flatMap { resource in
                try view.rows(in: .all(of: resource.key)).map { "\($0.key.type)/\($0.key.key)" }
            }
        }
    }

    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        return findings
    }
}

/// What happens while a request is under way, by method and path; each once.
final class RequestHooks: Sendable {
    typealias Act = @Sendable () async throws -> Void

    private let acts = Mutex<[String: Act]>([:])

    func plan(during line: String, _ act: @escaping Act) { acts.withLock { $0["during " + line] = act } }

    func plan(before line: String, _ act: @escaping Act) { acts.withLock { $0["before " + line] = act } }

    func run(during line: String) async { await runHook("during " + line) }

    func run(before line: String) async { await runHook("before " + line) }

    private func runHook(_ key: String) async {
        guard let act = acts.withLock({ $0.removeValue(forKey: key) }) else { return }
        do {
            try await act()
        } catch {
            Issue.record("\(key): \(error)")
        }
    }
}

func user(_ id: Int) -> ObjectName { ObjectName(class: "User", id: String(id)) }

let allUsers = CollectionName(class: "User")

func users(_ query: String) -> CollectionName { CollectionName(class: "User", query: query) }

extension Fetched<ObjectCollection> {
    /// The numbers of the objects.
    var numbers: [String] { value.objects.map { String(decoding: $0.payload, as: UTF8.self) } }
}

extension Fetched<StoredObject> {
    var number: String { String(decoding: value.payload, as: UTF8.self) }
}

/// Lines that were logged.
final class LogLines: Sendable {
    private let lines = Mutex<[(Logger.Level, String)]>([])

    var logger: Logger {
        Logger(label: "larder.test") { _ in Handler(lines: self) }
    }

    func messages(at level: Logger.Level) -> [String] {
        lines.withLock { $0.filter { $0.0 == level }.map(\.1) }
    }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append((event.level, event.message.description)) }
        }
    }
}
