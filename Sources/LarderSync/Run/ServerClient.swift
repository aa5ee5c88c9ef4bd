internal import HTTPTypes
internal import LarderTransport
internal import Synchronization

/// Asks the server, and turns what is not an answer into typed errors.
final class ServerClient: Sendable {
    private let transport: any Transport
    private let credentials: any Credentials
    private let configuration: SyncConfiguration
    /// The fields in use, and whether they have been refused once in this run.
    private let stamp = Mutex<(fields: HTTPFields?, isRefreshed: Bool)>((nil, false))

    init(transport: any Transport, credentials: any Credentials, configuration: SyncConfiguration) {
        self.transport = transport
        self.credentials = credentials
        self.configuration = configuration
    }

    /// What a server says that asks for another course of action.
    enum Answer {
        /// The body of a good answer, with its length where the server said it.
        case body(TransportBody, length: Int?)
        /// The token is worth nothing any more (410).
        case resyncRequired
        /// There is no such full copy (404 `snapshot_not_found`).
        case fullCopyNotFound
    }

    /// Sends one GET to `path`, appended to the base as it is.
    func get(_ path: ServerPath, _ kind: SyncError.RequestKind) async throws(SyncError) -> Answer {
        let first = try await exchange(path)
        guard first.head.status.code == 401 else { return try await answer(first, kind) }
        let isFirstRefusal = stamp.withLock { stamp in
            defer { stamp.isRefreshed = true }
            return !stamp.isRefreshed
        }
        let problem = try await self.problem(first)
        // Other exchanges of this run may have refreshed already; once more with theirs is not another refresh.
        try await refresh(isRefused: isFirstRefusal)
        let second = try await exchange(path)
        if second.head.status.code == 401 { throw .unauthorized(problem) }
        return try await answer(second, kind)
    }

    private func exchange(_ path: ServerPath) async throws(SyncError) -> TransportResponse {
        var fields = stamp.withLock { $0.fields }
        if fields == nil {
            try await refresh(isRefused: false)
            fields = stamp.withLock { $0.fields }
        }
        let request = configuration.base.request(.get, appending: path.text, headers: fields ?? [:])
        do throws(TransportError) {
            return try await transport.send(request, body: nil, timeouts: configuration.timeouts)
        } catch .cancelled {
            throw .cancelled
        } catch {
            throw .transport(error)
        }
    }

    private func refresh(isRefused: Bool) async throws(SyncError) {
        if !isRefused, stamp.withLock({ $0.fields != nil }) { return }
        do {
            let fields = try await credentials.fields(isRefused: isRefused)
            stamp.withLock { $0.fields = fields }
        } catch {
            throw .credentials(error)
        }
    }

    private func answer(
        _ response: TransportResponse, _ kind: SyncError.RequestKind
    ) async throws(SyncError) -> Answer {
        if response.head.status.code == 200 {
            return .body(response.body, length: response.head.headerFields[.contentLength].flatMap { Int($0) })
        }
        let problem = try await self.problem(response)
        let retryAfter = response.head.headerFields[.retryAfter].flatMap { Int($0) }
        switch (response.head.status.code, problem.code, kind) {
        case (410, _, .page): return .resyncRequired
        case (404, "snapshot_not_found", .fullCopy): return .fullCopyNotFound
        case (401, _, _): throw .unauthorized(problem)
        case (429, _, _): throw .rateLimited(problem, retryAfter: retryAfter)
        case (500...599, _, _): throw .unavailable(problem, retryAfter: retryAfter)
        default: throw .refused(problem)
        }
    }

    private func problem(_ response: TransportResponse) async throws(SyncError) -> ServerProblem {
        let body: [UInt8]
        do throws(TransportError) {
            body = try await response.body.collect(upTo: ServerProblem.maximumBody)
        } catch .cancelled {
            throw .cancelled
        } catch {
            // The status alone says enough.
            body = []
        }
        return ServerProblem(status: response.head.status.code, body: body)
    }
}
