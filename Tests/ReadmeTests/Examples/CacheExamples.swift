// Proves that the examples in the doc comments of the cache compile.

#if AsyncHTTPClient
import Larder
import LarderOutbox
import LarderStore
import LarderURLSession

private struct Word: CachedRow {
    static let schema = RowSchema("word", in: .resource("words/1"))
    let id: String
}

private struct Product: CachedRow {
    // Example of RowSchema
    static let schema = RowSchema(
        "product", in: .group("products"), columns: "kind", index: "price", "name", search: "name", "description")
    // End of example
    let id: Int, name: String, price: Double, description: String
}

private func cachedRowExample(cache: ContentCache) throws {
    // Example of CachedRow
    struct Verse: CachedRow {
        static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
        let id: Int, verse_key: String, text: String
    }
    let verse = try cache.row(Verse.self, 1005, in: "translations/10")
    print(verse?.text ?? "not here")
    // End of example
}

private func localRowExample(cache: ContentCache) async throws {
    // Example of LocalRow
    struct Note: LocalRow {
        static let schema = RowSchema("note", in: .resource("notes/1"))
        var id: String, text: String
    }
    let sent = try await cache.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
    print(try await sent.outcome)  // waits for the server
    // End of example
}

private func keyRangeExample(cache: ContentCache) throws {
    // Example of KeyRange
    let page = try cache.rows(Verse.self, in: "translations/10", keys: .numbers(1000..<1010))
    let names = try cache.rows(Word.self, in: "words/1", keys: .texts(prefix: "river"))
    print(page.count, names.count)
    // End of example
}

private func conditionExample(cache: ContentCache, from: String, to: String) throws {
    // Example of SQLCondition
    let chapter = try cache.rows(Verse.self, where: "verse_key >= \(from) AND verse_key < \(to)")
    let some = try cache.rows(Product.self, where: "price < \(50) AND kind IN \(["book", "map"])")
    print(chapter.count, some.count)
    // End of example
}

private func servicesExample() async throws {
    // Example of CacheServices
    let cache = try await ContentCache.open(
        .applicationSupport("words"), content: "https://api.example.org/content", rows: [Verse.self],
        services: .system(URLSessionTransport()))
    try await cache.close()
    // End of example
}

private func locationExample(transport: any Transport) async throws {
    // Example of CacheLocation
    let cache = try await ContentCache.open(.applicationSupport("words"), services: .system(transport))
    print(cache.store.path)
    // End of example
}

private func optionsExample(location: CacheLocation, services: CacheServices, token: String) async throws {
    // Example of CacheOptions
    var options = CacheOptions()
    options.store.sizeCap = 200 << 20
    options.credentials = FixedCredentials([.authorization: "Bearer \(token)"])
    let cache = try await ContentCache.open(location, services: services, options: options)
    try await cache.close()
    // End of example
}

private func contentCacheExample(transport: any Transport) async throws {
    // Example of ContentCache
    let cache = try await ContentCache.open(
        .applicationSupport("words"), content: "https://api.example.org/content", writes: "https://api.example.org",
        rows: [Verse.self, Note.self], services: .system(transport))
    let running = Task { try await cache.run() }  // syncs, and sends writes
    for await progress in cache.keep("translations:*") { print(progress) }  // ends when ready, or with a problem
    let verse = try cache.row(Verse.self, 1005, in: "translations/10")
    print(verse?.text ?? "not here")
    running.cancel()
    // End of example
}

private func progressExample(cache: ContentCache) async {
    // Example of KeepProgress
    for await progress in cache.keep("translations:*") { print(progress) }  // 40 %, 12 of 30 resources, 1.3 MB
    // End of example
}

private func pendingWriteExample(cache: ContentCache, note: Note) async throws {
    // Example of PendingWrite
    let sent = try await cache.put(note, to: "/notes/9")  // durable, and shown at once
    switch try await sent.outcome {  // waits for the server
    case .accepted: print("saved on the server")
    case .rejected(let reason): print("not saved:", reason)  // the row is shown as it was before
    case .removed(let word): print("discarded:", word)  // such as: dropped
    }
    // End of example
}

private func rowValuesExample(cache: ContentCache) async throws {
    // Example of RowValues
    for try await notes in cache.observe(Note.self, limit: 20) {  // now, and after every change
        for note in notes { print(note.text, cache.isPending(note) ? "↑" : "✓") }
    }
    // End of example
}

private func rowHitExample(cache: ContentCache) throws {
    // Example of RowHit
    for hit in try cache.search(Verse.self, "river daw") {  // "daw" may be the beginning of a word
        print(hit.row.verse_key, hit.snippet, hit.resource)  // 26:153 the [river] at [dawn] translations/10
    }
    // End of example
}

private func rowErrorExample(cache: ContentCache) throws {
    // Example of RowError
    do {
        print(try cache.rows(Verse.self, in: "translations/10").count)
    } catch RowError.undecodable(let key, let reason) {
        print(key.key, reason)  // 1005 the member text is missing.
    }
    // End of example
}

private func sqlConvertibleExample(cache: ContentCache) throws {
    // Example of SQLConvertible
    enum Kind: String, SQLConvertible {
        case book, map
        var sqlValue: SQLValue { .text(rawValue) }
    }
    let books = try cache.rows(Product.self, where: "kind = \(Kind.book)", order: "price")
    print(books.count)
    // End of example
}

private func queryErrorExample(cache: ContentCache) throws {
    // Example of QueryError
    do {
        print(try cache.rows(Product.self, where: "weight < \(50)").count)
    } catch QueryError.unknownColumn(let name, _) {
        print("RowSchema.columns of Product lacks", name)  // weight: a mistake in the program
    }
    // End of example
}

private func payloadCoderExample(outbox: Outbox, note: Note, key: RowKey) async throws {
    // Example of JSONPayloadCoder
    let payload = try JSONPayloadCoder().encode(note)  // {"id":"9","text":"buy bread"}
    let write = OutboxWrite(
        "note.put", .put, "/notes/9", body: .bytes(payload), effects: [RowEffect(.replacement(payload), at: key)])
    try await outbox.enqueue(write)
    // End of example
}

private func uuidBytesExample(cache: ContentCache, outbox: Outbox, note: Note) async throws {
    // Example of UUIDBytes
    let sent = try await cache.put(note, to: "/notes/9")
    let text = "\(sent.id)"  // such as 8f4e2d9c-3b1a-4c5d-9e6f-7a8b9c0d1e2f
    if let id = UUIDBytes(text) { print(try await outbox.outcome(of: id)) }  // also after a relaunch
    // End of example
}
#endif
