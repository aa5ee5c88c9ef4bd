// Proves that Set-Cookie is served from memory only and never reaches persistent storage.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A cookie that a server sets` {
    private let clock = VirtualClock()

    private func cache(_ server: ScriptedTransport, persistent: ListCache? = nil) -> HTTPCache {
        HTTPCache(
            transport: server, persistent: persistent, memory: MemoryResponseCache(), services: .virtual(clock))
    }

    private func server() -> ScriptedTransport {
        ScriptedTransport(clock: clock) { (request, _) throws(TransportError) in
            let isKnown = request.headerFields[.ifNoneMatch] != nil
            let fields: HTTPFields = [
                .cacheControl: "max-age=60", .eTag: "\"1\"", .setCookie: isKnown ? "a=2" : "a=1",
                HTTPField.Name("Set-Cookie2")!: "b=1", HTTPField.Name("X-Auth-Token")!: "secret",
            ]
            return isKnown ? TransportResponse(status: .notModified, headers: fields) : ok(fields)
        }
    }

    /// RFC 9111 §3.1, §3.2.
    @Test func `comes with the answer out of memory, as the server last set it`() async throws {
        let cache = cache(server())
        _ = try await FetchedText(cache.fetch(request(), .standard))
        let again = try await FetchedText(cache.fetch(request(), .standard))
        #expect(again.origin == .cache)
        #expect(again.fields[.setCookie] == "a=1")
        #expect(again.fields[HTTPField.Name("Set-Cookie2")!] == "b=1")
        #expect(again.fields[HTTPField.Name("X-Auth-Token")!] == nil)
        clock.advance(by: .seconds(61))
        #expect(try await FetchedText(cache.fetch(request(), .standard)).origin == .revalidated)
        let confirmed = try await FetchedText(cache.fetch(request(), .standard))
        #expect(confirmed.origin == .cache)
        #expect(confirmed.fields[.setCookie] == "a=2")
        await cache.close()
    }

    @Test func `is stored nowhere else`() async throws {
        let store = ListCache()
        let cache = cache(server(), persistent: store)
        _ = try await FetchedText(cache.fetch(request(), .standard))
        let again = try await FetchedText(cache.fetch(request(), .standard))
        #expect(again.origin == .cache)
        #expect(again.fields[.setCookie] == nil)
        clock.advance(by: .seconds(61))
        #expect(try await FetchedText(cache.fetch(request(), .standard)).fields[.setCookie] == nil)
        #expect(store.all.allSatisfy { $0.response.fields[.setCookie] == nil })
        await cache.close()
    }
}
