package import HTTPTypes

/// Tells by content type and beginning what an answer is.
package enum AnswerFormat {
    /// Whether an answer is no page of HTML or XHTML: by its content type, or else by how its body, or the beginning of it, begins.
    package static func isNoPage(_ head: HTTPResponse, body: [UInt8]?) -> Bool {
        if [204, 205, 304].contains(head.status.code) { return true }
        let types = types(head.headerFields)
        if types.contains(where: isHTML) { return false }
        // Several types are ambiguous.
        if types.count == 1, generic.isDisjoint(with: types) { return true }
        return body.map { !beginsAsPage($0) } ?? false
    }

    /// Whether the content type names one format, and that is neither JSON nor a page.
    package static func isOfOtherFormat(_ head: HTTPResponse) -> Bool {
        let types = types(head.headerFields)
        return types.count == 1 && generic.isDisjoint(with: types)
            && !types.contains { isHTML($0) || $0.contains("json") }
    }

    /// RFC 9110 §8.3.1: the type is what stands before the parameters, in any case. A value without a slash is no type.
    private static func types(_ fields: HTTPFields) -> Set<String> {
        let values = fields[values: .contentType].flatMap { $0.split(separator: ",") }
        let types = values.map { value in
            let bare = value.drop { $0 == " " || $0 == "\t" || $0 == "\"" }
            return bare.prefix { $0 != ";" && $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
        }
        return Set(types.filter { $0.contains("/") })
    }

    private static func isHTML(_ type: String) -> Bool { type.hasSuffix("html") || type.hasSuffix("html+xml") }

    private static let generic: Set<String> = [
        "text/plain", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown",
        "*/*",
    ]

    /// Whether a body begins with `<`, be it behind a byte order mark and blanks (WHATWG MIME Sniffing §7.1). More blanks than are
    /// looked at hide something.
    private static func beginsAsPage(_ body: [UInt8]) -> Bool {
        var rest = body[...]
        var blanks: Set<UInt8> = [0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
            rest = rest.dropFirst(3)
        } else if rest.starts(with: [0xFF, 0xFE]) || rest.starts(with: [0xFE, 0xFF]) {
            rest = rest.dropFirst(2)
            // The other half of each unit of UTF-16.
            blanks.insert(0)
        }
        guard let first = rest.first(where: { !blanks.contains($0) }) else {
            return body.count >= AnswerContent.beginningLength
        }
        return first == 0x3C
    }
}
