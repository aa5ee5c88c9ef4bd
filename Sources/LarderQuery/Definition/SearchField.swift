/// A column whose words are searched for.
public struct SearchField: Hashable, Sendable {
    /// The column.
    public let column: String
    /// The weight of a word in this column, compared with the other fields; above 0.
    public let weight: Double

    /// A field of a column.
    public init(_ column: String, weight: Double = 1) {
        precondition(weight > 0 && weight.isFinite, "a weight of \(weight)")
        self.column = column
        self.weight = weight
    }
}

/// The definition of a word. SQLite FTS5, "Tokenizers".
public struct Tokenizer: Hashable, Sendable {
    /// The name and options of the tokenizer for FTS5.
    let text: String

    /// Letters and digits between other characters, in either case, with or without accents.
    public static let words = Tokenizer(text: "unicode61 remove_diacritics 2")
    /// As ``words``, with English endings removed: `lights` is found by `light`.
    public static let englishStems = Tokenizer(text: "porter unicode61 remove_diacritics 2")
    /// Every three characters: finds parts of words, in scripts without spaces too, but nothing shorter.
    public static let trigrams = Tokenizer(text: "trigram")
}
