// ObjectServer: a server of numbers: each object's payload is one, and a query is `x < n` or `x > n`.

import Foundation
import HTTPTypes
import LarderFormat
import LarderTransport
import Synchronization

/// A server of numbers: each object's payload is one, and a query is `x < n` or `x > n`.
final class ObjectServer: Sendable {
    struct State {
        /// By class and id, in the order of ids.
        var objects: [String: [String: String]] = [:]
        /// The lines that a path is answered with instead.
        var pages: [String: String] = [:]
        var files: [String: [UInt8]] = [:]
        /// Files whose length the head does not say.
        var hidesLength = false
        var isOffline = false
        /// What every request is answered with instead.
        var status: HTTPResponse.Status?
        /// Who answers every request instead.
        var portal: (@Sendable () -> TransportResponse)?
        /// Whether the answer to a write holds the object.
        var echoes = false
        /// What the server makes of the payload of a write.
        var rounding: @Sendable (String) -> String = { $0 }
        /// Whether validators go by ApiOmat's names.
        var isApiOmat = false
        /// The bodies that came, with method and path.
        var written: [String] = []
    }

    let state = Mutex(State())

    func set(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    func put(_ className: String, _ id: String, _ payload: String) {
        set { $0.objects[className, default: [:]][id] = payload }
    }

    var written: [String] { state.withLock { $0.written } }

    func answer(_ request: HTTPRequest, _ body: [UInt8]?) throws(TransportError) -> TransportResponse {
        let state = state.withLock { $0 }
        if state.isOffline { throw .connectionRefused }
        if let portal = state.portal { return portal() }
        if let status = state.status { return TransportResponse(status: status) }
        let path = request.path ?? ""
        if request.method != .get { return write(request.method, path, body ?? []) }
        if let file = state.files[path] {
            return conditional(request, content: file, isCollection: false, hidesLength: state.hidesLength)
        }
        let parts = path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        if let page = state.pages[path] {
            return conditional(request, content: Array(page.utf8), isCollection: parts.count != 2)
        }
        if parts.count == 2 {
            guard let payload = state.objects[parts[0]]?[parts[1]] else { return TransportResponse(status: .notFound) }
            return conditional(request, content: Array("\(parts[1])\t\(payload)".utf8), isCollection: false)
        }
        let query = path.split(separator: "?q=").dropFirst().first.flatMap { String($0).removingPercentEncoding }
        let found = (state.objects[parts.first ?? ""] ?? [:]).filter { Self.matches($0.value, query) }
        let lines = found.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)" }
        return conditional(
            request, content: Array(lines.joined(separator: "\n").utf8), isCollection: true, hasQuery: query != nil)
    }

    private func write(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]) -> TransportResponse {
        var parts = path.split(separator: "/").map(String.init)
        let isNew = method == .post && parts.count == 1
        let payload = state.withLock { $0.rounding(String(decoding: body, as: UTF8.self)) }
        set { state in
            if isNew { parts.append(String(100 + state.objects[parts[0], default: [:]].count)) }
            state.written.append("\(method.rawValue) \(path) \(String(decoding: body.prefix(40), as: UTF8.self))")
            if parts.count == 4 { state.files[path] = body }
            if parts.count == 2 {
                state.objects[parts[0], default: [:]][parts[1]] = method == .delete ? nil : payload
            }
        }
        return TransportResponse(
            status: isNew ? .created : .ok, headers: isNew ? [.location: "/\(parts[0])/\(parts[1])"] : [:],
            body: state.withLock { $0.echoes } ? Array("\(parts[1])\t\(payload)".utf8) : [])
    }

    private func conditional(
        _ request: HTTPRequest, content: [UInt8], isCollection: Bool, hasQuery: Bool = false, hidesLength: Bool = false
    ) -> TransportResponse {
        let isApiOmat = state.withLock { $0.isApiOmat }
        let tag = "\"\(content.rawSpan.xxh64(seed: 0))\""
        let date = "date of \(content.rawSpan.xxh64(seed: 1))"
        var headers: HTTPFields = hidesLength ? [:] : [.contentLength: String(content.count)]
        var isSame = false
        if isApiOmat {
            if !hasQuery {
                let value = isCollection ? tag : date
                headers[.ifNoneMatch] = value
                isSame = request.headerFields[.ifNoneMatch] == value
            }
        } else {
            headers[.eTag] = isCollection ? tag : nil
            headers[.lastModified] = isCollection ? nil : date
            isSame =
                request.headerFields[.ifNoneMatch] == tag || request.headerFields[.ifModifiedSince] == date
        }
        if isSame { return TransportResponse(status: .notModified, headers: headers) }
        return TransportResponse(status: .ok, headers: headers, body: content)
    }

    private static func matches(_ payload: String, _ query: String?) -> Bool {
        guard let query, let limit = query.split(separator: " ").last.flatMap({ Int($0) }) else { return true }
        let number = Int(payload) ?? 0
        return query.contains("<") ? number < limit : number > limit
    }
}
