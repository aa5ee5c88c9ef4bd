public import HTTPTypes

extension OutboxConfiguration {
    /// Whether an answer is no HTML page, which no API answers a write with: by its content type, or without one by how its body
    /// begins. Without content (204, 205, 304) it is none; an empty body under a content type of HTML is one.
    public static func isNoPage(_ head: HTTPResponse, body: [UInt8]?) -> Bool {
        if [204, 205, 304].contains(head.status.code) { return true }
        if let type = head.headerFields[.contentType] { return !isHTML(type) }
        return !beginsAsPage(body ?? [])
    }

    /// RFC 9110 §8.3.1: the type is what stands before the parameters, in any case, with blanks around it.
    private static func isHTML(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }

    /// Whether a body begins as pages do (WHATWG MIME Sniffing §7.1), be it behind a byte order mark, blanks and comments.
    private static func beginsAsPage(_ body: [UInt8]) -> Bool {
        var rest = body.prefix(sniffed)
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
        let start = rest.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return pageStarts.contains { start.starts(with: $0) }
    }

    private static let sniffed = 1445
    private static let pageStarts: [[UInt8]] = [
        "<!doctype html", "<html", "<head", "<body", "<script", "<iframe", "<title", "<meta", "<h1", "<div", "<table",
        "<style", "<p>", "<br", "<!--",
    ].map { Array($0.utf8) }
}
