// The README's code for ordinary requests, compiled; between the two marks it is compared with the README.

#if AsyncHTTPClient
// README begins
import Larder
import LarderHTTP
import LarderStore
import LarderAsyncHTTPClient

func readTheNews(store: Store, address: String) async throws {
    let cache = HTTPCache.system(store: store, transport: AsyncHTTPClientTransport())
    guard let news = FetchRequest(address) else { return }

    let answer = try await cache.fetch(news)  // RFC 9111: from the file while fresh, validated then, fetched otherwise
    print(answer.origin, answer.state, answer.reuse)  // where from, how fresh, and why
    print(String(decoding: try await answer.value.body.bytes(), as: UTF8.self))

    for try await answer in cache.answers(to: news, .cacheThenNetwork) {  // what is here, then the server's word
        print(answer.isIntermediate ? "for now:" : "finally:", answer.origin)
    }
    _ = try await cache.fetch(news, .staleIfOffline)  // with no network: what expired, and it says so
    let outcomes = await cache.prefetch([news])  // stored before it is needed, behind everything else
    print(outcomes.map { "\($0)" })
    await cache.close()
}
// README ends
#endif
