// OutboxWorld: a store, a server that is a closure, a network that can be turned off, and a clock that stands still.

import Foundation
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// A store, a server that is a closure, a network that can be turned off, and a clock that stands still.
final class OutboxWorld: Sendable {
    /// A request as it arrived.
    struct Request: Sendable {
        let method: String
        let path: String
        let key: String?
        let fields: HTTPFields
        let body: [UInt8]
    }

    typealias Script = @Sendable (Request) async throws(TransportError) -> TransportResponse

    let path = FileManager.default.temporaryDirectory.appending(path: "larder-outbox-\(UUID().uuidString)").path
    let clock = VirtualClock()
    let network: ScriptedConnectivity
    let store: Store
    private let log = Mutex<[Request]>([])
    private let script: Mutex<Script>
    let events = Mutex<[OutboxEvent]>([])

    /// - Parameters:
    ///   - script: what the server answers; 200 by default.
    ///   - change: what is other than usual about the host.
    init(
        _ network: NetworkState = .online, options: StoreOptions = StoreOptions(),
        script: @escaping Script = { _ in TransportResponse(status: .ok) },
        host change: (inout HostServices) -> Void = { _ in }
    ) throws {
        self.network = ScriptedConnectivity(network)
        self.script = Mutex(script)
        var host = HostServices.virtual(clock)
        change(&host)
        store = try Store.open(at: path, options: options, host: host)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// What has arrived at the server.
    var requests: [Request] { log.withLock { $0 } }

    /// What the server answers from now on.
    func answer(_ script: @escaping Script) { self.script.withLock { $0 = script } }

    func outbox(
        account: String? = nil, credentials: any Credentials = FixedCredentials(),
        policy change: (inout OutboxPolicy) -> Void = { _ in },
        configuration: (inout OutboxConfiguration) -> Void = { _ in }
    ) throws -> Outbox {
        var policy = OutboxPolicy()
        policy.retry = RetryPolicy(first: .seconds(1), limit: .seconds(60), jitter: 0)
        change(&policy)
        var settings = OutboxConfiguration(base: BaseURL("http://127.0.0.1/api"))
        configuration(&settings)
        let transport = HandlerTransport { (request, body) async throws(TransportError) -> TransportResponse in
            let arrived = Request(
                method: request.method.rawValue, path: request.path ?? "",
                key: request.headerFields[OutboxConfiguration.sourceKeyField], fields: request.headerFields,
                body: body ?? [])
            self.log.withLock { $0.append(arrived) }
            let script = self.script.withLock { $0 }
            return try await script(arrived)
        }
        return Outbox(
            store: store, transport: transport, configuration: settings, policy: policy, credentials: credentials,
            account: account, connectivity: network,
            onEvent: { [weak self] event in self?.events.withLock { $0.append(event) } })
    }

    /// Runs `outbox` beside `body`.
    func running(_ outbox: Outbox, _ body: () async throws -> Void) async throws {
        let run = Task { try await outbox.run() }
        do {
            try await body()
        } catch {
            run.cancel()
            throw error
        }
        run.cancel()
        _ = await run.result
    }

    /// Waits until the status is as wanted; a test that waits for ever is ended by its suite's limit.
    @discardableResult
    func wait(_ outbox: Outbox, until isWanted: @Sendable (OutboxStatus) -> Bool) async throws -> OutboxStatus {
        for await status in outbox.statuses() where isWanted(status) { return status }
        throw CancellationError()
    }

    /// Waits until something is so that no status shows.
    ///
    /// - Throws: `CancellationError` when the suite's time is over.
    func waitUntil(_ isSo: () throws -> Bool) async throws {
        while try !isSo() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        return findings
    }

    func entries() throws -> [OutboxEntry] { try store.read { view in try view.outboxEntries() } }
}

/// A write of a numbered note.
func makeNoteWrite(_ number: Int, entity: String? = nil, lane: Lane = .entity) -> OutboxWrite {
    OutboxWrite(
        "note.create", .post, "/notes", body: .bytes(Array("{\"n\":\(number)}".utf8)), entity: entity, lane: lane)
}
