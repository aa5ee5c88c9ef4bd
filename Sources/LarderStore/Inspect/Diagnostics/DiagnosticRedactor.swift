internal import LarderFormat

/// Replaces the texts of a diagnostic copy that may name people or content. FORMAT.md, "meta", key "diagnostics".
struct DiagnosticRedactor {
    /// The fields of a response whose values decide how it is cached; they do not name its content.
    private static let fields: Set<String> = [
        "age", "cache-control", "content-length", "content-type", "date", "expires", "last-modified", "vary",
    ]

    /// It is in no copy, so that no guess of a text can be confirmed.
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    /// Returns what stands for a text: the same for equal texts.
    func text(_ text: String) -> String {
        let digits = String(Array(text.utf8).rawSpan.xxh64(seed: seed) >> 16, radix: 16)
        return "~" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Returns what stands for a text, where there is one.
    func text(_ text: String?) -> String? { text.map { self.text($0) } }

    /// Returns scheme and authority of a URL, and what stands for the rest; of another text only the latter.
    func address(_ address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return text(address) }
        let rest = address[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        // Before an @ stands a user.
        if authority.contains("@") { return text(address) }
        return "\(address[..<scheme.upperBound])\(authority)/\(text(String(rest.dropFirst(authority.count))))"
    }

    /// Returns a row without its key.
    func row(_ row: RowKey) -> RowKey { RowKey(resource: row.resource, type: row.type, key: text(row.key)) }

    /// Returns the length of a content.
    func content(_ content: ResolvedConflict.Content) -> ResolvedConflict.Content {
        content.payload.map { .omitted(Int64($0.count)) } ?? content
    }

    /// Returns header fields of which only those values are left that decide about caching.
    func fields(_ fields: [HeaderField]) -> [HeaderField] {
        fields.map { field in
            let isKept = Self.fields.contains(field.name.lowercased())
            return HeaderField(name: field.name, value: isKept ? field.value : [])
        }
    }
}
