package import HTTPTypes

/// The kind of a body, by its content type or else by its beginning; ordered by how likely a captive portal sent it.
package enum ContentKind: Int, Comparable, Sendable {
    /// A body that does not begin as markup.
    case data
    /// Markup: XML or a page.
    case markup
    /// An HTML or XHTML page.
    case page

    package static func < (left: ContentKind, right: ContentKind) -> Bool { left.rawValue < right.rawValue }

    /// Creates the kind that a content type names; nil where only the body can decide. That is without a type, under
    /// one that is invalid or that servers give to anything, and under several.
    ///
    /// - Parameter contentType: The value of the header field, several of them joined by commas.
    package init?(_ contentType: String?) {
        let types = Self.types(contentType ?? "")
        if types.contains(where: { $0.hasSuffix("html") || $0.hasSuffix("html+xml") }) {
            self = .page
        } else if types.count == 1, let type = types.first, !Self.generic.contains(type) {
            self = Self.xml.contains(type) ? .markup : .data
        } else {
            return nil
        }
    }

    /// Creates the kind as ``init(_:)`` where the body is known too, but nil for JSON. JSON never begins as markup, so
    /// the body shows whether it is JSON.
    package init?(besideBody contentType: String?) {
        if Self.types(contentType ?? "").allSatisfy({ $0.hasSuffix("json") }) { return nil }
        self.init(contentType)
    }

    /// Creates the kind that the content type names, or else the one that the beginning of the body shows.
    package init(_ contentType: String?, beginning: [UInt8]) {
        var sniffer = ContentSniffer()
        sniffer.add(beginning)
        self = ContentKind(contentType) ?? sniffer.final
    }

    /// Returns the types without their parameters, in lower case (RFC 9110 §8.3.1). A value without a slash is no type.
    private static func types(_ values: String) -> Set<String> {
        let types = values.split(separator: ",").map { value in
            let bare = value.drop { $0 == " " || $0 == "\t" || $0 == "\"" }
            return bare.prefix { $0 != ";" && $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
        }
        return Set(types.filter { $0.contains("/") })
    }

    private static let xml: Set<String> = ["text/xml", "application/xml"]
    private static let generic: Set<String> = [
        "text/plain", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown",
        "*/*",
    ]
}

extension HTTPResponse {
    /// Returns whether the response is a page, which no API sends: by its content type, or else because its body begins
    /// with `<`. Where the body is not known, only a content type rules it out.
    package func isPage(beginning: [UInt8]?) -> Bool {
        if [204, 205, 304].contains(status.code) { return false }
        if let kind = ContentKind(headerFields[.contentType]) { return kind == .page }
        return beginning.map { ContentKind(nil, beginning: $0) != .data } ?? true
    }

    /// Whether the content type names one format, and that is neither JSON nor a page.
    package var isOfOtherFormat: Bool {
        guard let type = headerFields[.contentType], let kind = ContentKind(type) else { return false }
        return kind != .page && !type.prefix { $0 != ";" }.lowercased().contains("json")
    }
}

/// Determines the kind of a body from its first bytes, piece by piece. WHATWG MIME Sniffing §7.1.
package struct ContentSniffer: Sendable {
    /// The first bytes after a byte order mark and white space, in lower case.
    private var start: [UInt8] = []
    /// The number of blanks before them.
    private var blankCount = 0
    /// Whether the zero byte of each UTF-16 unit is skipped.
    private var isUTF16 = false

    package init() {}

    /// Reads the next bytes.
    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes {
            if start.count == Self.length { return }
            if byte == 0, isUTF16 { continue }
            if start.isEmpty, Self.blanks.contains(byte) {
                blankCount += 1
                isUTF16 = isUTF16 || byte >= 0xFE
                continue
            }
            start.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        }
    }

    /// The kind, or nil while several kinds are possible.
    package var kind: ContentKind? {
        guard let first = start.first else { return nil }
        return first != UInt8(ascii: "<") || start.count == Self.length ? final : nil
    }

    /// The kind of the body if it ends here. A body of more blanks than are examined counts as a page, because they may
    /// hide one.
    package var final: ContentKind {
        guard let first = start.first else { return blankCount < ResponseContent.prefixLength ? .data : .page }
        guard first == UInt8(ascii: "<") else { return .data }
        return Self.pageStarts.contains { start.starts(with: $0) } ? .page : .markup
    }

    /// White space, and the bytes of a byte order mark.
    private static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
    /// The beginnings of pages.
    private static let pageStarts = [
        "<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<title", "<meta", "<h1", "<div", "<table",
        "<style", "<p>", "<br", "<!--",
    ].map { Array($0.utf8) }
    /// The number of bytes in the longest of them.
    private static let length = 14
}
