import Larder

/// A word of the dictionary, as the server publishes it.
struct Word: CachedRow, Equatable {
    static let schema = RowSchema("word", in: .group("words"), index: "lemma", search: "lemma", "meaning")
    let id: Int, lemma: String, meaning: String
}

/// A note that the user has written about a word.
struct Note: LocalRow, Equatable {
    static let schema = RowSchema("note", in: .resource("notes/1"))
    /// The word.
    let id: String
    var text: String
}
