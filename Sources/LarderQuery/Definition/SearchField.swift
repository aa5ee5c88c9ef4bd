/// A column whose words are searched for.
public struct SearchField: Hashable, Sendable {
    /// The column.
    public let column: String
    /// How much a word counts here, compared with the other fields; above 0.
    public let weight: Double

    /// A field of a column.
    public init(_ column: String, weight: Double = 1) {
        precondition(weight > 0 && weight.isFinite, "a weight of \(weight)")
        self.column = column
        self.weight = weight
    }
}

/// What counts as a word. SQLite FTS5, "Tokenizers".
public struct Tokenizer: Hashable, Sendable {
    /// How FTS5 is told.
    let text: String

    /// Letters and digits between other characters, in either case, with or without accents.
    public static let words = Tokenizer(text: "unicode61 remove_diacritics 2")
    /// As ``words``, with English endings cut off: `lights` is found by `light`.
    public static let englishStems = Tokenizer(text: "porter unicode61 remove_diacritics 2")
    /// Every three characters: finds parts of words, in scripts without spaces too, but nothing shorter.
    public static let trigrams = Tokenizer(text: "trigram")
}
