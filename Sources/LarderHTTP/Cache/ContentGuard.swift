internal import HTTPTypes
internal import LarderFormat
internal import LarderTransport

/// Holds an answer, as it comes, against the stored content whose place it would take.
///
/// An empty body, or markup that the request did not ask for, does not replace content that works offline.
struct ContentGuard {
    /// What the content type of the answer says that its body is; nil where the body has to, and for JSON.
    private let type: ContentKind?
    /// The most page-like kind that may replace the stored content.
    private let highest: ContentKind
    /// Whether there is content that an empty body must not replace.
    private let refusesEmpty: Bool
    private var sniffer = ContentSniffer()
    private var isEmpty = true

    /// - Parameters:
    ///   - fields: of the answer.
    ///   - asked: the most page-like kind that was asked for.
    init(replacing stored: [CachedResponse], by fields: HTTPFields, asked: ContentKind = .data) {
        let content = stored.filter(\.hasContent)
        type = ContentKind(besideBody: fields[.contentType])
        refusesEmpty = !content.isEmpty
        // Data may replace anything: what is stored is not looked at then.
        highest = type == .data ? .page : max(asked, content.map(\.contentKind).min() ?? .page)
    }

    /// Whether a body of its content type may take the place.
    var admitsType: Bool { type.map { $0 <= highest } ?? true }

    /// Whether the body may take the place, by what has come so far.
    mutating func admits(_ chunk: [UInt8]) -> Bool {
        if !chunk.isEmpty { isEmpty = false }
        guard type == nil, highest < .page else { return admitsType }
        sniffer.add(chunk)
        return sniffer.kind.map { $0 <= highest } ?? true
    }

    /// Whether the body may take the place, now that all of it has come.
    var admitsAll: Bool { isEmpty ? !refusesEmpty : (type ?? sniffer.final) <= highest }
}

extension HTTPRequest {
    /// The most page-like kind that its `Accept` names; `*/*` names none.
    var askedKind: ContentKind {
        let members = FieldScanner.members(headerFields.combined("accept") ?? [])
        return members.compactMap { ContentKind(String(decoding: $0, as: UTF8.self)) }.max() ?? .data
    }
}

extension CachedResponse {
    /// Whether it is a success with a body.
    var hasContent: Bool { response.status.kind == .successful && body.byteCount > 0 }

    /// What its body is, by its type or by how it begins: whichever is more like a page.
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
