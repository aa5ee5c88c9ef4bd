// TestingOffline: the README's test of an app's own code, compiled and run; a test compares the two.

#if AsyncHTTPClient
// README begins
import Larder
import LarderTesting
import Testing

@Test func `a note is sent when the server accepts writes again`() async throws {
    let clock = VirtualClock()  // advances only when the test waits
    let transport = ScriptedTransport(clock: clock)
    transport.on(.put, "/notes/*").answer(503).then(200)
    var options = CacheOptions()
    options.hasAccounts = false  // writes are anonymous
    let notes = try await ContentCache.open(
        .temporary(), writes: "https://notes.test", rows: [Note.self], services: .scripted(transport, clock: clock),
        options: options)
    let running = Task { try await notes.run() }

    let note = Note(id: "9", text: "buy bread")
    try await notes.put(note, to: "/notes/9")
    try await clock.wait(for: "the note to be sent") { !notes.isPending(note) }
    #expect(transport.lines == ["PUT /notes/9", "PUT /notes/9"])
    running.cancel()
    _ = await running.result
    try await notes.close()
}
// README ends
#endif
