import Foundation
import Larder
import LarderSync

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

    /// Keeps the dictionary for reading without a network; the sequence ends when it is there.
    func download() -> AsyncStream<KeepProgress> { cache.keep("words:*;notes:1") }

    /// Fetches what is missing or has changed, for a minute at most; returns why something could not be fetched.
    ///
    /// ``download()`` comes first: it names what to fetch. Its sequence ends as soon as all can be read, and an app that
    /// runs gets changes behind. A tool that ends waits for them here.
    func fetch() async -> [String] {
        let outcomes = await cache.content?.runOnce(within: .seconds(60)) ?? [:]
        return outcomes.values.compactMap { outcome in
            if case .failure(let error) = outcome { "\(error)" } else { nil }
        }
    }

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
        // A lemma may have a space or a slash, and is one segment of the path.
        let segment = lemma.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await cache.put(Note(id: lemma, text: text), to: "/notes/\(segment)")
    }

    /// Returns all notes.
    func notes() throws -> [ShownNote] {
        try cache.rows(Note.self).map { ShownNote(note: $0, isPending: cache.isPending($0)) }
    }

    /// Returns the number of notes that the server lacks, for a badge.
    func unsent() throws -> Int { try notes().count { $0.isPending } }

    /// Sends notes for half a minute at most, and returns what is left, in words for the user.
    func send() async -> String { await cache.outbox?.drain(within: .seconds(30)).description ?? "" }

    /// Closes the dictionary.
    func close() async throws { try await cache.close() }
}
