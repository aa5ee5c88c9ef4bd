import Larder

/// A dictionary that works offline, with notes of one's own.
///
/// The model is all of the app but its lines on the terminal, and is tested as it is.
struct DictionaryModel: Sendable {
    /// A note, and whether the server has it.
    struct ShownNote: Equatable, Sendable {
        let note: Note
        let isPending: Bool
    }

    let cache: ContentCache

    /// Opens the dictionary in a directory.
    init(in location: CacheLocation, server: BaseURL, content: BaseURL, services: CacheServices) async throws {
        var options = CacheOptions()
        options.hasAccounts = false
        cache = try await ContentCache.open(
            location, content: content, writes: server, rows: [Word.self, Note.self], services: services,
            options: options)
    }

    /// Syncs and sends notes until the task is cancelled.
    func run() async throws { try await cache.run() }

    /// Fetches the dictionary for reading without a network; the sequence ends when it is there.
    func download() -> AsyncStream<KeepProgress> { cache.keep("words:*;notes:1") }

    /// Returns the words that are spelled like this.
    func lookUp(_ lemma: String) throws -> [Word] {
        try cache.rows(Word.self, where: "lemma = \(lemma)", order: "key")
    }

    /// Returns the words around this one in the alphabet.
    func neighbours(of lemma: String, count: Int = 5) throws -> [Word] {
        let before = try cache.rows(Word.self, where: "lemma < \(lemma)", order: "lemma DESC", limit: count)
        let after = try cache.rows(Word.self, where: "lemma >= \(lemma)", order: "lemma", limit: count)
        return before.reversed() + after
    }

    /// Returns words by the words of their meanings.
    func search(_ text: String) throws -> [RowHit<Word>] { try cache.search(Word.self, text) }

    /// Writes a note about a word; it is shown at once and sent when there is a network.
    @discardableResult
    func write(_ text: String, about lemma: String) async throws -> PendingWrite {
        try await cache.put(Note(id: lemma, text: text), to: "/notes/\(lemma)")
    }

    /// Returns all notes.
    func notes() throws -> [ShownNote] {
        try cache.rows(Note.self).map { ShownNote(note: $0, isPending: cache.isPending($0)) }
    }

    /// Returns the number of notes that the server lacks, for a badge.
    func unsent() throws -> Int { try notes().count { $0.isPending } }

    /// Closes the dictionary.
    func close() async throws { try await cache.close() }
}
