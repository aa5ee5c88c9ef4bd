// OriginTransport: answers requests from an origin in the same process, without a network, a chunk at a time.

public import HTTPTypes
public import LarderFormat
public import LarderServer
public import LarderTransport
internal import Synchronization

/// Answers requests from an origin in the same process, without a network, a chunk at a time.
public struct OriginTransport: Transport {
    /// How far a snapshot has been read.
    public enum SnapshotProgress: Sendable {
        /// Its first bytes are being handed out.
        case begins
        /// Its last bytes have been handed out.
        case ends
    }

    let origin: Origin
    let onSnapshot: @Sendable (ResourceKey, SnapshotProgress) -> Void

    /// Answers from `origin`, and reports the progress of snapshots to `onSnapshot`.
    public init(_ origin: Origin, onSnapshot: @escaping @Sendable (ResourceKey, SnapshotProgress) -> Void = { _, _ in })
    {
        self.origin = origin
        self.onSnapshot = onSnapshot
    }

    /// Answers one request; the body of a snapshot is made while it is read.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let prefix = "/content/api/v4/resources/"
        guard let target = request.path, target.hasPrefix(prefix) else { return TransportResponse(status: .notFound) }
        let path = target.dropFirst(prefix.count)
        do throws(OriginProblem) {
            if path.hasPrefix("sync?") {
                let query = try OriginQuery(parsing: String(path.dropFirst(5)))
                return TransportResponse(status: .ok, body: try origin.page(query).body)
            }
            let parts = path.split(separator: "/")
            guard parts.count == 3, let id = Int64(parts[2]) else { return TransportResponse(status: .notFound) }
            return try snapshot(Origin.ResourceID(String(parts[1]), id))
        } catch {
            return TransportResponse(status: .init(code: error.status), body: error.body)
        }
    }

    private func snapshot(_ resource: Origin.ResourceID) throws(OriginProblem) -> TransportResponse {
        let key = ResourceKey(resource.group, resource.id)
        let chunks = Mutex((iterator: try origin.snapshot(of: resource).makeIterator(), isFirst: true))
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
