// Site: a server of changing pages that logs its requests.

import HTTPTypes
import LarderTesting
import LarderTransport
import Synchronization

/// What stands under one address of a small site.
struct SitePage: Sendable {
    enum Content: Sendable, Equatable {
        case text(String)
        case redirection(status: Int, to: String)
    }

    var content: Content
    /// The entity tag of this version, and of no other.
    var tag: String?
    /// For how many seconds it is fresh; nil for `no-store`.
    var lifetime: Int?
    /// Whether it travels compressed, and is decoded by the transport.
    var isCoded = false
    /// Behind how many bytes of the whole the connection breaks off; nil for never.
    var cut: Int?
}

/// A server of pages that change, which notes what it is asked.
final class Site: Sendable {
    private let state = Mutex((pages: [String: SitePage](), log: [String]()))

    var pages: [String: SitePage] { state.withLock { $0.pages } }

    subscript(address: String) -> SitePage? {
        get { state.withLock { $0.pages[address] } }
        set { state.withLock { $0.pages[address] = newValue } }
    }

    /// What it was asked since the last call.
    func removeLog() -> [String] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    func answer(_ request: HTTPRequest) -> TransportResponse {
        let address = "https://\(request.authority ?? "")\(request.path ?? "")"
        let (range, tag) = (request.headerFields[.range], request.headerFields[.ifNoneMatch])
        let page = state.withLock { state in
            state.log.append(address + (tag.map { " unless \($0)" } ?? "") + (range.map { " \($0)" } ?? ""))
            return state.pages[address]
        }
        guard let page else { return TransportResponse(status: .notFound) }
        var fields: HTTPFields = [.cacheControl: page.lifetime.map { "max-age=\($0)" } ?? "no-store"]
        fields[.eTag] = page.tag
        switch page.content {
        case .redirection(let status, let place):
            fields[.location] = place
            return TransportResponse(status: .init(code: status), headers: fields)
        case .text(let text):
            if let tag, tag == page.tag { return TransportResponse(status: .notModified, headers: fields) }
            var start = 0
            if let range, request.headerFields[.ifRange] == page.tag {
                start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
                fields[.contentRange] = "bytes \(start)-\(text.utf8.count - 1)/\(text.utf8.count)"
            }
            if !page.isCoded { fields[.contentLength] = String(text.utf8.count - start) }
            let sent = Array(Array(text.utf8).prefix(page.cut ?? .max).dropFirst(start))
            return TransportResponse(
                head: HTTPResponse(status: start > 0 ? .partialContent : .ok, headerFields: fields),
                body: Self.body(sent, isBroken: page.cut.map { $0 < text.utf8.count } ?? false),
                isDecoded: page.isCoded)
        }
    }

    private static func body(_ bytes: [UInt8], isBroken: Bool) -> TransportBody {
        let isSent = Flag(false)
        return TransportBody(next: { () async throws(TransportError) in
            if !isSent.value {
                isSent.value = true
                if !bytes.isEmpty { return bytes }
            }
            if isBroken { throw .connectionLost(reason: "cut") }
            return nil
        })
    }
}
