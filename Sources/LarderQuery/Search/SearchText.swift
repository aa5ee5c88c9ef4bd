/// What to search for.
public struct SearchText: Hashable, Sendable {
    /// The expression as FTS5 reads it; empty when there is no word in it.
    let expression: String

    /// Texts that have every one of the words a person typed; nothing in them is read as syntax.
    ///
    /// - Parameter completesLast: whether the last word may be the beginning of one, as while typing.
    public static func words(_ text: String, completesLast: Bool = false) -> SearchText {
        // A zero character would end the expression.
        let words = text.split { $0.isWhitespace || $0.isNewline || $0 == "\u{0}" }
        var phrases = words.map { word in
            let plain = String(word).unicodeScalars.filter { $0.value != 0 }
            return String(String.UnicodeScalarView(plain)).quotedName
        }
        if completesLast, let last = phrases.popLast() { phrases.append(last + "*") }
        return SearchText(expression: phrases.joined(separator: " "))
    }

    /// An expression in the full syntax of FTS5, with `AND`, `OR`, `NOT`, `NEAR`, columns and phrases.
    ///
    /// Not for text from outside: a mistake in it is an error.
    public static func raw(_ expression: String) -> SearchText { SearchText(expression: expression) }
}

/// How a search answers.
public struct SearchOptions: Hashable, Sendable {
    /// The most hits, at least 0.
    public var limit: Int
    /// How many of the best hits to leave out, at least 0.
    public var offset: Int
    /// What stands in front of a word that was found, in a snippet.
    public var opening: String
    /// What stands behind it.
    public var closing: String
    /// How many words a snippet has, 1 to 64; nil: no snippets.
    public var snippetWords: Int?

    /// Options: the best 20, with snippets of 16 words in which those found stand in brackets.
    public init(
        limit: Int = 20, offset: Int = 0, opening: String = "[", closing: String = "]", snippetWords: Int? = 16
    ) {
        precondition(limit >= 0 && offset >= 0, "a limit of \(limit) behind \(offset)")
        precondition(snippetWords.map { (1...64).contains($0) } ?? true, "snippets of \(snippetWords ?? 0) words")
        self.limit = limit
        self.offset = offset
        self.opening = opening
        self.closing = closing
        self.snippetWords = snippetWords
    }
}

/// A row that was found by its words.
public struct SearchHit: Sendable {
    /// The row.
    public let object: QueryObject
    /// How well it fits, by BM25: more is better. Scores of one search compare with each other only.
    public let score: Double
    /// The part of the row's text that fits best, with the words that were found marked; nil when not asked for.
    public let snippet: String?
}
