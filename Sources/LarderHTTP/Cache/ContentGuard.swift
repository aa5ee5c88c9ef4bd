internal import HTTPTypes
internal import LarderFormat

/// Holds the body of an answer, as it comes, against the stored content whose place it would take.
///
/// Neither an empty body nor a page that nobody asked for is better than content that a program can use offline.
struct ContentGuard {
    /// What the body may be at most; nil: anything, or its type says what it is.
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
            // What cannot be read is worth no care.
            return .page
        }
        return sniffer.final
    }
}
