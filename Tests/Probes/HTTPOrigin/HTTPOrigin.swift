// HTTPOrigin: an ordinary web server's pages, for tests of a cache: validators, conditions, parts, variants, faults.

import Synchronization

/// An ordinary web server's pages, for tests of a cache: validators, conditions, parts, variants, faults.
///
/// It shares no code with the cache: conditions and ranges are evaluated here once more, by RFC 9110 §13 and §14.
public final class HTTPOrigin: Sendable {
    private struct State {
        var pages: [String: OriginPage] = [:]
        var requests: [OriginRequest] = []
    }

    /// What to answer, before it is sent.
    struct Answer: Sendable {
        var status = 200
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        var declaresLength = true
        var fault: OriginPage.Fault?
    }

    private let state = Mutex(State())

    /// An origin without pages.
    public init() {}

    /// The page under a path; its query is not looked at.
    public subscript(path: String) -> OriginPage? {
        get { state.withLock { $0.pages[path] } }
        set { state.withLock { $0.pages[path] = newValue } }
    }

    /// What has reached it, in order.
    public var requests: [OriginRequest] { state.withLock { $0.requests } }

    /// How often a path was asked for.
    public func count(_ path: String) -> Int { requests.count { Self.plain($0.path) == path } }

    func answer(_ request: OriginRequest) -> Answer {
        let page = state.withLock { state in
            state.requests.append(request)
            return state.pages[Self.plain(request.path)]
        }
        guard let page else { return Answer(status: 404, body: Array("no such page\n".utf8)) }
        if case .status(let status) = page.fault {
            return Answer(status: status, body: Array("it failed\n".utf8))
        }
        if request.method != "GET", request.method != "HEAD" {
            return Answer(status: page.status == 200 ? 204 : page.status, headers: page.headers)
        }
        var answer = Self.evaluate(page, request)
        answer.fault = page.fault
        answer.declaresLength = page.declaresLength
        return answer
    }

    private static func plain(_ path: String) -> String { String(path.prefix { $0 != "?" }) }
}

// MARK: - Conditions and parts

extension HTTPOrigin {
    private static func evaluate(_ page: OriginPage, _ request: OriginRequest) -> Answer {
        var answer = Answer(status: page.status, headers: page.headers, body: page.body)
        if let value = page.etag { answer.headers.append(("ETag", value)) }
        if let value = page.lastModified { answer.headers.append(("Last-Modified", value)) }
        if let value = page.cacheControl { answer.headers.append(("Cache-Control", value)) }
        if !page.languages.isEmpty {
            answer.headers.append(("Vary", "Accept-Language"))
            answer.body = page.languages[request["accept-language"] ?? ""] ?? page.body
        }
        if page.isCompressed {
            answer.headers.append(("Vary", "Accept-Encoding"))
            if request["accept-encoding"]?.contains("gzip") == true {
                answer.headers.append(("Content-Encoding", "gzip"))
                answer.body = Deflated.gzip(answer.body)
            }
        }
        if case .garbled(let bytes) = page.fault { answer.body = bytes }
        answer.headers.append(("Content-Type", "text/plain"))
        if page.servesRanges { answer.headers.append(("Accept-Ranges", "bytes")) }
        if isConfirmed(page, request) {
            answer.status = 304
            answer.body = []
            answer.headers.removeAll { $0.name == "Content-Type" }
            return answer
        }
        if page.servesRanges, let range = request["range"], isRangeWanted(page, request) {
            cut(range, from: &answer)
        }
        return answer
    }

    /// RFC 9110 §13.2.2, steps 3 and 4.
    private static func isConfirmed(_ page: OriginPage, _ request: OriginRequest) -> Bool {
        if let tags = request["if-none-match"] {
            guard let etag = page.etag else { return false }
            return tags == "*" || opaqueTags(tags).contains(opaqueTags(etag)[0])
        }
        guard let date = request["if-modified-since"], let last = page.lastModified else { return false }
        // This origin compares dates as an opaque validator does: the same or another.
        return date == last
    }

    /// RFC 9110 §13.1.5: a strong comparison.
    private static func isRangeWanted(_ page: OriginPage, _ request: OriginRequest) -> Bool {
        guard let validator = request["if-range"] else { return true }
        if validator.hasPrefix("\"") { return validator == page.etag }
        return validator == page.lastModified
    }

    private static func opaqueTags(_ list: String) -> [String] {
        list.split(separator: ",").map { part in
            let tag = part.drop { $0 == " " }
            return String(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag)
        }
    }

    /// One range; several are answered whole, which RFC 9110 §14.2 allows.
    private static func cut(_ range: String, from answer: inout Answer) {
        guard range.hasPrefix("bytes="), !range.contains(",") else { return }
        let parts = range.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let length = answer.body.count
        let first: Int
        let last: Int
        switch (Int(parts[0]), Int(parts[1])) {
        case (let from?, let to?): (first, last) = (from, min(to, length - 1))
        case (let from?, nil): (first, last) = (from, length - 1)
        case (nil, let suffix?): (first, last) = (max(0, length - suffix), length - 1)
        case (nil, nil): return
        }
        guard first <= last else {
            answer.status = 416
            answer.body = []
            answer.headers.append(("Content-Range", "bytes */\(length)"))
            return
        }
        answer.status = 206
        answer.headers.append(("Content-Range", "bytes \(first)-\(last)/\(length)"))
        answer.body = Array(answer.body[first...last])
    }
}
