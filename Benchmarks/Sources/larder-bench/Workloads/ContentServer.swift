// ContentServer: a server of the Content Sync protocol, in process, whose bodies are made beforehand.

import HTTPTypes
import LarderTransport
import Synchronization

/// The snapshot of one catalogue as bytes, and the place of each payload in them.
struct SnapshotBody: Sendable {
    private static let chunkSize = 64 << 10

    let number: Int
    let items: ShopItems
    let bytes: [UInt8]
    let payloads: [Range<Int>]
    /// The bytes as they arrive.
    let chunks: [[UInt8]]

    init(of items: ShopItems, number: Int) {
        var bytes = Array("{\"resource_group\":\"\(ShopItems.group)\",\"resource_id\":\(number),".utf8)
        bytes += "\"schema_version\":1,\"sync_sequence\":\(ContentServer.firstSequence),\"records\":[".utf8
        var payloads: [Range<Int>] = []
        for row in 0..<items.count {
            if row > 0 { bytes.append(UInt8(ascii: ",")) }
            let start = bytes.count
            bytes += items.payload(row)
            payloads.append(start..<bytes.count)
        }
        bytes += "]}".utf8
        self.number = number
        self.items = items
        self.bytes = bytes
        self.payloads = payloads
        chunks = stride(from: 0, to: bytes.count, by: Self.chunkSize).map { start in
            Array(bytes[start..<min(start + Self.chunkSize, bytes.count)])
        }
    }
}

/// A server of the Content Sync protocol, in process, whose bodies are made beforehand.
final class ContentServer: Transport {
    /// The sequence of the snapshots.
    static let firstSequence = 1_000_000
    private static let root = "/api/v4/resources/"
    private static let perPage = 100

    let snapshots: [SnapshotBody]
    private let pages = Mutex<[[UInt8]]>([])

    init(_ snapshots: [SnapshotBody]) {
        self.snapshots = snapshots
        let listed = snapshots.map { body in
            Self.mutation(
                "RESOURCE_CREATE", body.number, sequence: Self.firstSequence,
                "\"snapshot_url\":\"\(Self.root)\(body.number)\"")
        }
        serve(Self.pages(listed, until: Self.firstSequence))
    }

    /// Responds to the next runs with these pages.
    func serve(_ pages: [[UInt8]]) { self.pages.withLock { $0 = pages } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let path = request.path ?? ""
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
        guard let name = path.split(separator: "/").last else { throw .invalidRequest(reason: path) }
        if let number = Int(name) {
            return TransportResponse(head: head, body: TransportBody(chunks: snapshots[number - 1].chunks))
        }
        let page = name.split(separator: "=").last.flatMap { name.contains("?page=") ? Int($0) : nil } ?? 0
        return TransportResponse(head: head, body: TransportBody(pages.withLock { $0[page] }))
    }

    /// Returns pages of 100 mutations.
    static func pages(_ mutations: [String], until sequence: Int) -> [[UInt8]] {
        let starts = Array(stride(from: 0, to: max(mutations.count, 1), by: perPage))
        return starts.enumerated().map { index, start in
            let isLast = index == starts.count - 1
            let next = isLast ? "null" : "\"\(root)sync?page=\(index + 1)\""
            let token = isLast ? "\"\(sequence)\"" : "null"
            let listed = mutations[start..<min(start + perPage, mutations.count)].joined(separator: ",")
            return Array(
                """
                {"sync":{"sync_until_sequence":\(sequence),"has_more":\(!isLast),"next_page_url":\(next),\
                "next_sync_token":\(token),"mutations":[\(listed)]}}
                """.utf8)
        }
    }

    /// Returns a mutation of a resource, with further members.
    static func mutation(_ type: String, _ resource: Int, sequence: Int, _ members: String) -> String {
        """
        {"sequence":\(sequence),"type":"\(type)","resource_group":"\(ShopItems.group)","resource_id":\(resource),\
        "changed_at":"2026-01-01T00:00:00Z",\(members)}
        """
    }
}
