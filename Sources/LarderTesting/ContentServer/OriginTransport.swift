public import HTTPTypes
public import LarderFormat
public import LarderServer
public import LarderTransport
internal import Synchronization

/// A transport to a content server in the same process: an `Origin` of LarderServer responds, without a network.
///
/// ```swift
/// let origin = Origin(secret: TokenSecret(1, 2), now: { clock.wallMilliseconds })
/// try origin.createResource(.init("translations", 10), rows: [.init(type: "translation", key: "1", #"{"id":1}"#)])
/// let transport = ScriptedTransport(OriginTransport(origin), clock: clock)  // with faults, where a test wants some
/// ```
public struct OriginTransport: Transport {
    /// The progress of a snapshot.
    public enum SnapshotProgress: Sendable {
        /// Its first bytes are requested.
        case begins
        /// It was read to its end.
        case ends
    }

    let origin: any SyncOrigin
    let prefix: String
    let onSnapshot: @Sendable (ResourceKey, SnapshotProgress) -> Void

    /// A transport to `origin`.
    ///
    /// - Parameters:
    ///   - origin: The content to serve.
    ///   - basePath: The path of the content server; requests of other paths get 404.
    ///   - onSnapshot: Called when the first bytes of a snapshot are requested, and at its end, on any thread.
    public init(
        _ origin: some SyncOrigin, basePath: String = "/content",
        onSnapshot: @escaping @Sendable (ResourceKey, SnapshotProgress) -> Void = { _, _ in }
    ) {
        self.origin = origin
        prefix = basePath + "/api/v4/resources/"
        self.onSnapshot = onSnapshot
    }

    /// Returns the origin's response; the body of a snapshot is made while it is read. The time limits are ignored.
    ///
    /// - Throws: `TransportError.invalidRequest(reason:)` for a request that real transports refuse.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        _ = try RequestTarget(request)
        guard request.method == .get, let target = request.path, target.hasPrefix(prefix) else {
            return TransportResponse(status: .notFound)
        }
        let path = target.dropFirst(prefix.count)
        do throws(OriginProblem) {
            if path.hasPrefix("sync?") {
                let query = try OriginQuery(parsing: String(path.dropFirst(5)))
                return TransportResponse(status: .ok, body: try await origin.page(query).body)
            }
            let parts = path.prefix { $0 != "?" }.split(separator: "/")
            guard parts.count == 3, let id = Int64(parts[2]) else { return TransportResponse(status: .notFound) }
            return try await snapshot(Origin.ResourceID(String(parts[1]), id))
        } catch {
            return TransportResponse(status: .init(code: error.status), body: error.body)
        }
    }

    private func snapshot(_ resource: Origin.ResourceID) async throws(OriginProblem) -> TransportResponse {
        let key = ResourceKey(resource.group, resource.id)
        let chunks = Mutex((iterator: try await origin.snapshot(of: resource).makeIterator(), isFirst: true))
        let onSnapshot = onSnapshot
        let body = TransportBody(next: {
            let (chunk, isFirst) = chunks.withLock { state in
                defer { state.isFirst = false }
                return (state.iterator.next(), state.isFirst)
            }
            if isFirst { onSnapshot(key, .begins) }
            if chunk == nil { onSnapshot(key, .ends) }
            return chunk
        })
        return TransportResponse(head: HTTPResponse(status: .ok), body: body)
    }
}
