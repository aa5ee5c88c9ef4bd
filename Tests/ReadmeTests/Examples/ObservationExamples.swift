// Proves that the examples in the doc comments of observed values compile.

#if AsyncHTTPClient
import Larder
import LarderObservation
import LarderOutbox

@MainActor private func rowsExample(cache: ContentCache) {
    // Example of ObservedRows
    let notes = ObservedRows(cache, Note.self)
    print(notes.rows.count)  // now; observers are notified of every change
    // End of example
}

@MainActor private func progressExample(cache: ContentCache) {
    // Example of ObservedProgress
    let verses = ObservedProgress(cache, keeping: "translations:*")
    print(verses.progress.fraction ?? 0, verses.progress)
    // End of example
}

@MainActor private func writesExample(cache: ContentCache) {
    // Example of ObservedWrites
    let writes = ObservedWrites(cache)
    print(writes.status.unsent, "not saved on the server yet")
    // End of example
}

@MainActor private func sessionExample(cache: ContentCache) {
    // Example of ObservedSession
    let session = ObservedSession(cache)
    print(session.status?.account ?? "nobody")
    // End of example
}
#endif
