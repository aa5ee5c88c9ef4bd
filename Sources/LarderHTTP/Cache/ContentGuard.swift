internal import HTTPTypes
internal import LarderFormat
internal import LarderTransport

/// Decides whether an answer may replace the stored content of its place, while the answer arrives.
///
/// An empty body, or markup that was not requested, does not replace content that works offline.
struct ContentGuard {
    /// The kind that the content type of the answer gives; nil for JSON, and where only the body can show the kind.
    private let type: ContentKind?
    /// The most page-like kind that may replace the stored content.
    private let highest: ContentKind
    /// Whether there is content that an empty body must not replace.
    private let refusesEmpty: Bool
    private var sniffer = ContentSniffer()
    private var isEmpty = true

    /// - Parameters:
    ///   - fields: of the answer.
    ///   - requested: the most page-like kind that the request names.
    init(replacing stored: [CachedResponse], by fields: HTTPFields, requested: ContentKind = .data) {
        let content = stored.filter(\.hasContent)
        type = ContentKind(besideBody: fields[.contentType])
        refusesEmpty = !content.isEmpty
        // Data may replace anything, so the stored bodies need not be read.
        highest = type == .data ? .page : max(requested, content.map(\.contentKind).min() ?? .page)
    }

    /// Whether a body of the answer's content type may replace the stored content.
    var allowsType: Bool { type.map { $0 <= highest } ?? true }

    /// Whether the body may replace the stored content, by the bytes received so far.
    mutating func allows(_ chunk: [UInt8]) -> Bool {
        if !chunk.isEmpty { isEmpty = false }
        guard type == nil, highest < .page else { return allowsType }
        sniffer.add(chunk)
        return sniffer.kind.map { $0 <= highest } ?? true
    }

    /// Whether the body, now complete, may replace the stored content.
    var allowsBody: Bool { isEmpty ? !refusesEmpty : (type ?? sniffer.final) <= highest }
}

extension HTTPRequest {
    /// The most page-like kind that its `Accept` names; `*/*` names none.
    var requestedKind: ContentKind {
        let members = FieldScanner.members(headerFields.combined("accept") ?? [])
        return members.compactMap { ContentKind(String(decoding: $0, as: UTF8.self)) }.max() ?? .data
    }
}

extension CachedResponse {
    /// Whether it is a success with a body.
    var hasContent: Bool { response.status.kind == .successful && body.byteCount > 0 }

    /// The kind of its body by its content type or by its first bytes, whichever is more like a page.
    var contentKind: ContentKind {
        var bytes: [UInt8] = []
        do {
            try body.read(0..<min(body.byteCount, 256)) { bytes.append(copying: $0) }
        } catch {
            // An unreadable body needs no protection.
            return .page
        }
        return max(ContentKind(response.fields[.contentType]) ?? .data, ContentKind(nil, beginning: bytes))
    }
}
