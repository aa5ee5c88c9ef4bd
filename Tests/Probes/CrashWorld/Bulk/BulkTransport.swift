// BulkTransport: answers requests for bulk content in the same process; pages from an origin, snapshots while they are read.

public import HTTPTypes
public import LarderFormat
internal import LarderServer
import LarderTesting
public import LarderTransport
internal import Synchronization

/// Answers requests for bulk content in the same process: pages from an origin, snapshots made while they are read.
public struct BulkTransport: Transport {
    private static let copies = "/content/api/v4/resources/snapshots/translations/"
    private static let rowsPerChunk = 250

    private let content: BulkContent
    private let pages: OriginTransport
    private let sequence: Int64
    private let onRows: @Sendable (ResourceKey, Int) -> Void

    /// Serves `content`, and calls `onRows` with rows before they are sent.
    public init(_ content: BulkContent, onRows: @escaping @Sendable (ResourceKey, Int) -> Void) throws {
        self.content = content
        let origin = try content.makeOrigin()
        pages = OriginTransport(origin)
        sequence = origin.sequence
        self.onRows = onRows
    }

    /// Answers one request.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        guard let path = request.path, path.hasPrefix(Self.copies) else {
            return try await pages.send(request, body: body, timeouts: timeouts)
        }
        guard let resource = Int(path.dropFirst(Self.copies.count)), (1...content.resources).contains(resource) else {
            return TransportResponse(status: .notFound)
        }
        return TransportResponse(head: HTTPResponse(status: .ok), body: snapshot(resource))
    }

    private func snapshot(_ resource: Int) -> TransportBody {
        let (content, sequence, onRows) = (content, sequence, onRows)
        let key = content.key(resource)
        // The number of the next row; nil when the body has ended.
        let position = Mutex<Int?>(1)
        return TransportBody(next: {
            let first = position.withLock { position in
                defer { position = position.flatMap { $0 > content.rowsPerResource ? nil : $0 + Self.rowsPerChunk } }
                return position
            }
            guard let first else { return nil }
            if first > content.rowsPerResource { return Array("]}".utf8) }
            var text = ""
            if first == 1 {
                text =
                    "{\"resource_group\":\"translations\",\"resource_id\":\(resource),\"resource_content_id\":null,"
                    + "\"schema_version\":1,\"sync_sequence\":\(sequence),\"records\":["
            }
            let last = min(first + Self.rowsPerChunk - 1, content.rowsPerResource)
            for number in first...last {
                if number > 1 { text += "," }
                text += content.row(number, of: key.id)
            }
            onRows(key, last - first + 1)
            return Array(text.utf8)
        })
    }
}
