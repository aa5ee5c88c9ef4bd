// FirstScreen: the first example of README.md, compiled; a test compares the two and runs it.

#if AsyncHTTPClient
// README begins
import Larder
import LarderAsyncHTTPClient

struct Verse: CachedRow {
    static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
    let id: Int, verse_key: String, text: String
}

struct Note: LocalRow {  // a row that this device may write
    static let schema = RowSchema("note", in: .resource("notes/1"))
    var id: String, text: String
}

func readTheVerses(in location: CacheLocation, api: BaseURL, content: BaseURL) async throws {
    let words = try await ContentCache.open(
        location, content: content, writes: api, rows: [Verse.self, Note.self],
        services: .system(AsyncHTTPClientTransport()))
    try await words.session.signIn(as: "user-1")
    let running = Task { try await words.run() }  // syncs, and sends writes; a tool calls words.running { … }

    for await progress in words.keep("translations:*;notes:1") {  // ends when ready to be read offline
        if let problem = progress.problem { print(problem) }  // ends with it where the app has to act first
        print(progress.fraction ?? 0, progress)
    }
    let verse = try words.row(Verse.self, 1005, in: "translations/10")  // no network, no waiting
    let near = try words.rows(Verse.self, in: "translations/10", keys: .numbers(1000..<1010))
    let (from, to) = ("26:150", "26:160")
    let chapter = try words.rows(Verse.self, where: "verse_key >= \(from) AND verse_key < \(to)", order: "verse_key")
    print(verse?.text ?? "not here", near.count, chapter.count)
    for hit in try words.search(Verse.self, "river daw") { print(hit.row.verse_key, hit.snippet) }

    let news = try await words.text("\(api)/news", .staleIfOffline)
    print(news.value, news.explanation)  // from the cache, 3 h old: the server cannot be reached

    let sent = try await words.put(Note(id: "9", text: "buy bread"), to: "/notes/9")  // durable, shown at once
    for try await notes in words.observe(Note.self) {  // now, and after every change
        for note in notes { print(note.text, words.isPending(note) ? "↑" : "✓") }
        if !notes.contains(where: { words.isPending($0) }) { break }
    }
    print(try await sent.outcome)  // accepted
    do { try await words.session.signOut() } catch SessionError.unsent(let left) { print("still to send:", left) }
    running.cancel()
    _ = await running.result
    try await words.close()
}
// README ends
#endif
