// SiteModel: an independent model of what a cache requests from a site, answers and stores, by RFC 9110 §15.4 and RFC 9111 §3 and §4.

/// What a cache asks a site, answers and keeps, by RFC 9110 §15.4, RFC 9111 §3, §4 and the rules of `docs/internals/fetching.md`,
/// without a line of the library's.
struct SiteModel {
    struct StoredPage: Equatable {
        var content: SitePage.Content
        var tag: String?
        var lifetime: Int
        /// How many bytes there are of a part; nil for the whole.
        var part: Int?
        /// When it came or was confirmed, in seconds.
        var time: Int
    }

    enum Outcome: Equatable {
        case content(SitePage.Content)
        case broken, tooManyRedirects, nothing
    }

    let redirectLimit: Int
    var stored: [String: StoredPage] = [:]
    private(set) var log: [String] = []

    init(redirectLimit: Int) { self.redirectLimit = redirectLimit }

    /// What a fetch brings; `log` is what the site is asked on the way.
    mutating func fetch(_ address: String, isOffline: Bool, of pages: [String: SitePage], at now: Int) -> Outcome {
        log = []
        var visited = [address]
        while true {
            let outcome =
                isOffline ? cached(visited[visited.count - 1]) : fetchOnce(visited[visited.count - 1], pages, now)
            guard redirectLimit > 0, case .content(.redirection(_, let next)) = outcome else { return outcome }
            if visited.count > redirectLimit || visited.contains(next) { return .tooManyRedirects }
            visited.append(next)
        }
    }

    /// Whatever is whole, at any age.
    private func cached(_ address: String) -> Outcome {
        guard let found = stored[address], found.part == nil else { return .nothing }
        return .content(found.content)
    }

    private mutating func fetchOnce(_ address: String, _ pages: [String: SitePage], _ now: Int) -> Outcome {
        let old = stored[address]
        if let old, old.part == nil, now - old.time < old.lifetime { return .content(old.content) }
        var line = address
        if let old, old.part == nil, let tag = old.tag { line += " unless \(tag)" }
        if let part = old?.part { line += " bytes=\(part)-" }
        log.append(line)
        guard let page = pages[address] else { return .nothing }
        if let old, let tag = old.tag, tag == page.tag {
            return old.part == nil ? confirm(address, old, now) : complete(address, old, page, now)
        }
        return receive(page, address, old, now)
    }

    /// A 304.
    private mutating func confirm(_ address: String, _ old: StoredPage, _ now: Int) -> Outcome {
        stored[address]?.time = now
        return .content(old.content)
    }

    /// A 206: the rest of a part. What breaks off again leaves the part as it was.
    private mutating func complete(_ address: String, _ old: StoredPage, _ page: SitePage, _ now: Int) -> Outcome {
        if isCut(page) { return .broken }
        stored[address]?.part = nil
        stored[address]?.time = now
        return .content(old.content)
    }

    /// An answer of its own.
    private mutating func receive(_ page: SitePage, _ address: String, _ old: StoredPage?, _ now: Int) -> Outcome {
        let hasText = if case .text? = old?.content { true } else { false }
        var new = page.lifetime.map {
            StoredPage(content: page.content, tag: page.tag, lifetime: $0, part: nil, time: now)
        }
        switch page.content {
        // A redirection does not take the place of content.
        case .redirection: if hasText { new = nil }
        case .text:
            guard isCut(page) else { break }
            // Only plain bytes with a strong tag can be completed, and nothing whole gives way to them.
            let canComplete = page.tag?.hasPrefix("\"") == true && !page.isCoded && page.cut != 0
            if let new, canComplete, old == nil || old?.part != nil {
                stored[address] = new
                stored[address]?.part = page.cut
            }
            return .broken
        }
        if let new { stored[address] = new }
        return .content(page.content)
    }

    private func isCut(_ page: SitePage) -> Bool {
        guard case .text(let text) = page.content, let cut = page.cut else { return false }
        return cut < text.utf8.count
    }
}
