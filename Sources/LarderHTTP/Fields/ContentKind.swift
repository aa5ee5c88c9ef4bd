internal import HTTPTypes

/// The kind of a body, ordered by how likely it is a captive portal's page.
enum ContentKind: Int, Comparable {
    /// Anything that does not begin as markup.
    case data
    /// Markup, be it XML or a page.
    case markup
    /// A page of HTML.
    case page

    static func < (left: ContentKind, right: ContentKind) -> Bool { left.rawValue < right.rawValue }

    /// What the content type says; nil where there is none, or one that servers give to anything.
    init?(_ fields: HTTPFields) {
        let type = FieldScanner.lowered(fields.first("content-type") ?? []).prefix { ![0x3B, 0x20, 0x09].contains($0) }
        if Self.generic.contains(where: { type.elementsEqual($0) }) { return nil }
        self = Self.pages.contains { type.elementsEqual($0) } ? .page : .data
    }

    static let pages = ["text/html", "application/xhtml+xml"].map { Array($0.utf8) }
    private static let generic = ["", "text/plain", "application/octet-stream", "unknown/unknown", "*/*"].map {
        Array($0.utf8)
    }
}

/// Finds out what a body is from how it begins, as it comes.
struct ContentSniffer {
    /// The first non-blank bytes, lowercased.
    private var start: [UInt8] = []

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes {
            if start.count == Self.length { return }
            if start.isEmpty, Self.blanks.contains(byte) { continue }
            start.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
        }
    }

    /// The kind, or nil while the bytes so far fit several kinds.
    var kind: ContentKind? {
        guard let first = start.first else { return nil }
        return first != UInt8(ascii: "<") || start.count == Self.length ? final : nil
    }

    /// The kind of the body as it is when it has ended.
    var final: ContentKind {
        guard start.first == UInt8(ascii: "<") else { return .data }
        return Self.pageStarts.contains { start.starts(with: $0) } ? .page : .markup
    }

    /// White space, and the bytes of a byte order mark.
    private static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
    /// As pages begin. WHATWG MIME Sniffing §7.1.
    private static let pageStarts = [
        "<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<title", "<meta", "<h1", "<div", "<table",
        "<style", "<p>", "<br", "<!--",
    ].map { Array($0.utf8) }
    /// As many bytes as the longest of them has.
    private static let length = 14
}
