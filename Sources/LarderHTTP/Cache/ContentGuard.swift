internal import HTTPTypes
internal import LarderFormat

/// Holds the body of an answer, as it comes, against the stored content whose place it would take.
///
/// An empty body, or an HTML page the request did not ask for, does not replace content that works offline.
struct ContentGuard {
    /// The most page-like kind that may replace the stored content; nil accepts any.
    private let highest: ContentKind?
    /// Whether there is content that an empty body must not replace.
    private let refusesEmpty: Bool
    private var sniffer = ContentSniffer()
    private var isEmpty = true

    /// - Parameters:
    ///   - fields: of the answer.
    ///   - asksForPages: whether a page is what was asked for.
    init(replacing stored: [CachedResponse], by fields: HTTPFields, asksForPages: Bool = false) {
        let content = stored.filter(\.hasContent)
        refusesEmpty = !content.isEmpty
        let isSniffed = !asksForPages && ContentKind(fields) == nil
        highest = isSniffed ? content.map(\.contentKind).min() : nil
    }

    /// Whether the body may take the place, by what has come so far.
    mutating func admits(_ chunk: [UInt8]) -> Bool {
        if !chunk.isEmpty { isEmpty = false }
        guard let highest else { return true }
        sniffer.add(chunk)
        return sniffer.kind.map { $0 <= highest } ?? true
    }

    /// Whether the body may take the place, now that all of it has come.
    var admitsAll: Bool {
        if isEmpty { return !refusesEmpty }
        return highest.map { sniffer.final <= $0 } ?? true
    }
}

extension CachedResponse {
    /// Whether it is a success with a body.
    var hasContent: Bool { response.status.kind == .successful && body.byteCount > 0 }

    /// What its body is, by its type or else by how it begins.
    var contentKind: ContentKind {
        if let kind = ContentKind(response.fields) { return kind }
        var sniffer = ContentSniffer()
        do {
            try body.read(0..<min(body.byteCount, 256)) { span in
                var bytes: [UInt8] = []
                bytes.append(copying: span)
                sniffer.add(bytes)
            }
        } catch {
            // An unreadable body needs no protection.
            return .page
        }
        return sniffer.final
    }
}
