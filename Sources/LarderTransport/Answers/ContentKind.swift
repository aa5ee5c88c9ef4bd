package import HTTPTypes

/// The kind of a body, ordered by how likely it is a captive portal's page: by the content type, or else by how the body begins.
package enum ContentKind: Int, Comparable, Sendable {
    /// Anything that does not begin as markup.
    case data
    /// Markup, be it XML or a page.
    case markup
    /// A page of HTML or XHTML.
    case page

    package static func < (left: ContentKind, right: ContentKind) -> Bool { left.rawValue < right.rawValue }

    /// What a content type says; nil where the body has to: without a type, under one that servers give to anything or that is none,
    /// and under several.
    ///
    /// - Parameter contentType: the value of the header field, several of them joined by commas.
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

    /// What a content type says where the body can be looked at: as ``init(_:)``, but nil for JSON, too. JSON never begins
    /// as markup, so that the body shows whether it is any.
    package init?(besideBody contentType: String?) {
        if Self.types(contentType ?? "").allSatisfy({ $0.hasSuffix("json") }) { return nil }
        self.init(contentType)
    }

    /// What the content type says, or else how the body begins.
    package init(_ contentType: String?, beginning: [UInt8]) {
        var sniffer = ContentSniffer()
        sniffer.add(beginning)
        self = ContentKind(contentType) ?? sniffer.final
    }

    /// RFC 9110 §8.3.1: the type is what stands before the parameters, in any case. A value without a slash is no type.
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
    /// Whether it is a page that no API answers with: by its content type, or else because its body, or the beginning of it, begins with
    /// `<`. Where the body is not known, only a content type says no.
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

/// Finds out what a body is from how it begins, as it comes. WHATWG MIME Sniffing §7.1.
package struct ContentSniffer: Sendable {
    /// The first bytes behind a byte order mark and white space, lowercased.
    private var start: [UInt8] = []
    /// How many blanks are in front of them.
    private var blankCount = 0
    /// Whether the other half of each unit of UTF-16 is left out.
    private var isUTF16 = false

    package init() {}

    /// Looks at the next bytes.
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

    /// The kind, or nil while the bytes so far fit several kinds.
    package var kind: ContentKind? {
        guard let first = start.first else { return nil }
        return first != UInt8(ascii: "<") || start.count == Self.length ? final : nil
    }

    /// The kind of the body as it is when it has ended. More blanks than are looked at hide something.
    package var final: ContentKind {
        guard let first = start.first else { return blankCount < AnswerContent.beginningLength ? .data : .page }
        guard first == UInt8(ascii: "<") else { return .data }
        return Self.pageStarts.contains { start.starts(with: $0) } ? .page : .markup
    }

    /// White space, and the bytes of a byte order mark.
    private static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF]
    /// As pages begin.
    private static let pageStarts = [
        "<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<title", "<meta", "<h1", "<div", "<table",
        "<style", "<p>", "<br", "<!--",
    ].map { Array($0.utf8) }
    /// As many bytes as the longest of them has.
    private static let length = 14
}
