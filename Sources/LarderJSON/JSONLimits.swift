/// The limits of a ``JSONScanner``; a text beyond them ends with a typed error.
package struct JSONLimits: Hashable, Sendable {
    /// The limits of payloads that are already stored: 1000 levels, as in SQLite, and strings of any length. Half a
    /// surrogate pair reads as U+FFFD, so that no row is unreadable because of its sender's escapes.
    package static let stored = JSONLimits(depth: 1000, text: .max, replacesLoneSurrogates: true)

    /// The deepest nesting of arrays and objects; 1 to 1024.
    package var depth: Int
    /// The longest captured name, string or number, in bytes after decoding of escapes.
    package var text: Int
    /// The longest text as a whole, in bytes.
    package var document: Int64
    /// Whether an escape that names half a surrogate pair reads as U+FFFD; otherwise it is an error.
    package var replacesLoneSurrogates: Bool

    /// Limits of the given sizes.
    ///
    /// Traps when `depth` is not 1 to 1024 (the scanner keeps one bit per level) or a size is negative.
    package init(
        depth: Int = 128, text: Int = 1 << 20, document: Int64 = .max, replacesLoneSurrogates: Bool = false
    ) {
        precondition((1...1024).contains(depth), "a depth limit of \(depth) is not 1 to 1024")
        precondition(text >= 0 && document >= 0, "a size limit is negative")
        self.depth = depth
        self.text = text
        self.document = document
        self.replacesLoneSurrogates = replacesLoneSurrogates
    }
}
