public import LarderFormat

/// The words to search for, or an expression.
public struct SearchText: Hashable, Sendable {
    /// The expression as FTS5 reads it; empty when there is no word in it.
    let expression: String

    /// Returns a search for texts with every one of the words that the user typed; nothing in them is read as syntax.
    ///
    /// - Parameters:
    ///   - text: the words as they were typed.
    ///   - completesLast: whether the last word may be the beginning of one, as while typing.
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

    /// Returns a search in the full syntax of FTS5, with `AND`, `OR`, `NOT`, `NEAR`, columns and phrases.
    ///
    /// Do not use it for text from outside: a mistake in it is an error.
    public static func raw(_ expression: String) -> SearchText { SearchText(expression: expression) }
}

/// The options of a search.
public struct SearchOptions: Hashable, Sendable {
    /// The most hits, at least 0.
    public var limit: Int
    /// The number of best hits to leave out, at least 0.
    public var offset: Int
    /// The resource whose rows are found; nil for all resources of the table. Scores compare over all of them.
    public var resource: ResourceKey?
    /// The text before a found word in a snippet.
    public var opening: String
    /// The text after a found word in a snippet.
    public var closing: String
    /// The number of words in a snippet, 1 to 64; nil: no snippets.
    public var snippetWords: Int?

    /// Options: the best 20, with snippets of 16 words that mark the found words with brackets.
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
    /// The score by BM25: more is better. Scores of one search compare with each other only.
    public let score: Double
    /// The best part of the row's text, with the found words marked; nil when not requested.
    public let snippet: String?
}
