public import HTTPTypes
public import LarderFormat
public import LarderServer
public import LarderTransport
internal import Synchronization

/// Answers requests from an origin in the same process, without a network, a chunk at a time.
public struct OriginTransport: Transport {
    /// How far a full copy has been read.
    public enum CopyProgress: Sendable {
        /// Its first bytes are being handed out.
        case begins
        /// Its last bytes have been handed out.
        case ends
    }

    let origin: Origin
    let onCopy: @Sendable (ResourceKey, CopyProgress) -> Void

    /// Answers from `origin`, and tells `onCopy` how far full copies are.
    public init(_ origin: Origin, onCopy: @escaping @Sendable (ResourceKey, CopyProgress) -> Void = { _, _ in }) {
        self.origin = origin
        self.onCopy = onCopy
    }

    /// Answers one request; the body of a full copy is made while it is read.
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
            return try fullCopy(Origin.ResourceID(String(parts[1]), id))
        } catch {
            return TransportResponse(status: .init(code: error.status), body: error.body)
        }
    }

    private func fullCopy(_ resource: Origin.ResourceID) throws(OriginProblem) -> TransportResponse {
        let key = ResourceKey(resource.group, resource.id)
        let chunks = Mutex((iterator: try origin.fullCopy(of: resource).makeIterator(), isFirst: true))
        let onCopy = onCopy
        let body = TransportBody(next: {
            let (chunk, isFirst) = chunks.withLock { state in
                defer { state.isFirst = false }
                return (state.iterator.next(), state.isFirst)
            }
            if isFirst { onCopy(key, .begins) }
            if chunk == nil { onCopy(key, .ends) }
            return chunk
        })
        return TransportResponse(head: HTTPResponse(status: .ok), body: body)
    }
}
