internal import HTTPTypes
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// A client of the server that turns unusable responses into typed errors.
final class ServerClient: Sendable {
    private let transport: any Transport
    private let credentials: any Credentials
    private let configuration: SyncConfiguration
    private let store: Store
    private let maximumRetryAfter: Duration
    private let credentialState = Mutex(CredentialState())

    /// The header fields that identify the client to the server.
    private struct CredentialState {
        /// The task that supplies the fields in use; replaced when they are refused.
        var supply: Task<HTTPFields, any Error>?
        /// The number of times that fields were requested.
        var number = 0
        /// The number of the latest fields that the server did not refuse.
        var accepted = 0
    }

    /// - Parameters:
    ///   - store: stores the waits that the server requests.
    ///   - maximumRetryAfter: the longest such wait.
    init(
        transport: any Transport, credentials: any Credentials, configuration: SyncConfiguration, store: Store,
        maximumRetryAfter: Duration
    ) {
        self.store = store
        self.maximumRetryAfter = maximumRetryAfter
        self.transport = transport
        self.credentials = credentials
        self.configuration = configuration
    }

    /// A response that the caller has to handle.
    enum Response {
        /// The body of a successful response, with its length where the server stated it.
        case body(TransportBody, length: Int?)
        /// The token is no longer valid (410, or 422 `token_filter_mismatch`).
        case resyncRequired
        /// There is no such snapshot (404 `snapshot_not_found`).
        case snapshotNotFound
    }

    /// Sends a GET to `path`, appended to the base unchanged; after a 401, it may be sent once more with new
    /// credentials.
    ///
    /// - Throws: ``SyncError/serverWait(seconds:)`` while a wait of the server lasts, ``SyncError/otherServer(_:)`` and
    ///   ``SyncError/signedOut``, all in place of a request; otherwise the error of the exchange.
    func get(_ path: ServerPath, _ kind: SyncError.RequestKind) async throws(SyncError) -> Response {
        let account = try checkServer()
        do throws(SyncError) {
            return try await send(path, kind, account)
        } catch {
            await storeWait(error, kind)
            throw error
        }
    }

    /// Checks that a request may be sent, and returns the account that it is for.
    @discardableResult
    private func checkServer() throws(SyncError) -> String? {
        let now = store.host.now()
        let wait: ServerWait?
        let account: String?
        do {
            (wait, account) = try store.read { view in
                try view.checkServer(configuration.server, of: .sync)
                return (try view.serverWait(of: configuration.base.origin, at: now), try view.accountToFetchFor())
            }
        } catch {
            throw SyncError(error)
        }
        guard let milliseconds = wait?.remaining(at: now), milliseconds > 0 else { return account }
        throw .serverWait(seconds: Int(clamping: (milliseconds + 999) / 1000))
    }

    /// Stores a wait that the server requested, for every client of the store and across restarts.
    private func storeWait(_ error: SyncError, _ kind: SyncError.RequestKind) async {
        // A server that has no place for another listener still answers other requests.
        if kind == .events { return }
        let wait = error.retryAfter.map { min(.seconds($0), maximumRetryAfter).milliseconds }
        if let wait {
            if wait <= 0 { return }
        } else {
            // Too many page requests concern all filters. Too many requests for one snapshot may concern its route
            // alone.
            guard case .rateLimited = error, kind == .page else { return }
        }
        let now = store.host.now()
        do {
            // A separate task, because the run may be cancelled now and the wait applies to every client.
            try await Task { [store, configuration] in
                try await store.write { transaction in
                    try transaction.setServerWait(of: configuration.base.origin, milliseconds: wait, at: now)
                }
            }.value
        } catch {
            // The error that is thrown reports the wait to the caller anyway.
            store.host.logger.warning("could not store the server's wait", metadata: ["error": "\(error)"])
        }
    }

    private func send(
        _ path: ServerPath, _ kind: SyncError.RequestKind, _ account: String?
    ) async throws(SyncError) -> Response {
        let (fields, number) = try await fields(of: account, afterRefused: 0)
        let first = try await exchange(path, fields, number)
        guard first.head.status.code == 401 else { return try await classify(first, kind) }
        let problem = try await ServerProblem(reading: first)
        // New fields that were never accepted are not renewed. Accepted ones may expire many times in a long run.
        guard number == 1 || credentialState.withLock({ $0.accepted >= number }) else { throw .unauthorized(problem) }
        let (renewed, next) = try await self.fields(of: account, afterRefused: number)
        // The server may have requested a wait meanwhile.
        try checkServer()
        return try await classify(try await exchange(path, renewed, next), kind)
    }

    private func exchange(
        _ path: ServerPath, _ fields: HTTPFields, _ number: Int
    ) async throws(SyncError) -> TransportResponse {
        let request = configuration.base.request(.get, appending: path.text, headers: fields)
        do throws(TransportError) {
            let response = try await transport.send(request, body: nil, timeouts: configuration.timeouts)
            if response.head.status.code != 401 { credentialState.withLock { $0.accepted = max($0.accepted, number) } }
            return response
        } catch {
            throw SyncError(error)
        }
    }

    /// Returns the fields to send and their number; requests new ones when those of number `refused` are still in use.
    ///
    /// Exchanges that are refused at the same time share one renewal.
    private func fields(
        of account: String?, afterRefused refused: Int
    ) async throws(SyncError) -> (HTTPFields, number: Int) {
        let (supply, number) = credentialState.withLock { state in
            if let supply = state.supply, state.number != refused { return (supply, state.number) }
            let credentials = credentials
            let supply = Task { try await credentials.fields(for: account, isRefused: refused > 0) }
            state.supply = supply
            state.number += 1
            return (supply, state.number)
        }
        do {
            let fields = try await withTaskCancellationHandler {
                try await supply.value
            } onCancel: {
                supply.cancel()
            }
            return (fields, number)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .credentials(error)
        }
    }

    private func classify(
        _ response: TransportResponse, _ kind: SyncError.RequestKind
    ) async throws(SyncError) -> Response {
        let status = response.head.status.code
        let contentType = response.head.headerFields[.contentType]
        if ResponseKind.isSuccess(status: status, contentType: contentType) {
            if kind == .events, contentType?.lowercased().hasPrefix("text/event-stream") != true {
                throw .refused(ServerProblem(status: status, code: nil, message: "the response is no stream of events"))
            }
            return .body(
                response.body,
                length: response.head.headerFields[.contentLength].flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 })
        }
        let problem = try await ServerProblem(reading: response)
        let retryAfter = response.head.headerFields[.retryAfter].flatMap { field in
            RetryAfter.seconds(field, date: response.head.headerFields[.date], now: store.host.now())
        }
        switch try ResponseKind(problem, contentType: contentType, retryAfter: retryAfter, to: kind) {
        case .resyncRequired: return .resyncRequired
        case .snapshotNotFound: return .snapshotNotFound
        case .success: throw .refused(problem)
        }
    }
}
