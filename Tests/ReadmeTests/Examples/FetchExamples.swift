// Proves that the examples in the doc comments of the caches of responses, objects and queries compile.

import Foundation
import HTTPTypes
import Larder
import LarderHTTP
import LarderOutbox
import LarderStore

private struct Article: Codable { var id: Int, title: String }

private func httpCacheExample(store: Store, transport: any Transport) async throws {
    // Example of HTTPCache
    let cache = HTTPCache.system(store: store, transport: transport)
    guard let request = FetchRequest("https://api.example.org/articles") else { return }
    let answer = try await cache.fetch(request)  // from the store while fresh; else validated or fetched
    print(answer.origin, answer.state, answer.reuse)
    print(try await answer.value.body.bytes().count, "bytes")
    await cache.close()
    // End of example
}

private func httpCacheOptionsExample(
    store: Store, transport: any Transport, request: FetchRequest
) async throws {
    // Example of HTTPCacheOptions
    var options = HTTPCacheOptions(redirectLimit: 5)
    options.servesStoredOffline = true  // also against `must-revalidate`, when the server cannot be reached
    let cache = HTTPCache.system(store: store, transport: transport, options: options)
    print(try await cache.fetch(request).state)
    // End of example
}

private func fetchRequestExample(cache: HTTPCache) async throws {
    // Example of FetchRequest
    guard var request = FetchRequest("https://api.example.org/articles/7") else { return }
    request.tags = ["articles"]
    request.priority = .high
    print(try await cache.fetch(request).value.head.status)
    try await cache.remove(.tag("articles"))  // every response that was stored with this tag
    // End of example
}

private func httpAnswerExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of HTTPAnswer
    let answer = try await cache.fetch(request).value  // the head has arrived; the body is read on demand
    guard answer.isSuccess else { throw HTTPCacheError.server(answer.head) }
    print(answer.head.headerFields[.contentType] ?? "no type")
    for try await piece in answer.body { print(piece.count, "bytes") }
    // End of example
}

private func fetchedExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of Fetched
    let articles = try await cache.value(of: request, .staleIfOffline) { bytes in
        try JSONDecoder().decode([Article].self, from: Data(bytes))
    }
    print(articles.value.count, articles.origin)
    if case .expiredServedOffline = articles.state { print("offline: these may be out of date") }
    // End of example
}

private func singleAnswerStrategyExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of SingleAnswerStrategy
    let standard = try await cache.fetch(request)  // as RFC 9111 requires
    let offline = try await cache.fetch(request, .staleIfOffline)  // the stored response without a server
    let quick = try await cache.fetch(request, .networkElseCache(within: .seconds(2)))
    print(standard.origin, offline.origin, quick.origin)
    // End of example
}

private func twoAnswerStrategyExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of TwoAnswerStrategy
    for try await answer in cache.answers(to: request, .cacheThenNetwork) {
        print(answer.isIntermediate ? "for now:" : "finally:", answer.origin)
    }
    // End of example
}

private func answerOriginExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of AnswerOrigin
    switch try await cache.fetch(request).origin {
    case .network: print("sent by the server")
    case .cache: print("stored, and no request was needed")
    case .revalidated: print("stored, and just confirmed by the server")
    }
    // End of example
}

private func answerStateExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of AnswerState
    switch try await cache.fetch(request, .staleIfOffline).state {
    case .fresh, .unknown: break
    case .stale: print("a newer version may be on the server")
    case .expiredServedOffline(let since):
        print("offline, out of date since", Date(timeIntervalSince1970: Double(since) / 1000))
    }
    // End of example
}

private func cacheReasonExample(cache: HTTPCache, request: FetchRequest) async throws {
    // Example of CacheReason
    let answer = try await cache.fetch(request)
    print(answer.reuse)  // such as: What is stored is fresh. (RFC 9111 §4.2)
    if answer.storage.word == "no-store" { print("the server forbids storing it") }
    // End of example
}

private func httpCacheErrorExample(cache: HTTPCache, request: FetchRequest) async {
    // Example of HTTPCacheError
    do throws(HTTPCacheError) {
        print(try await cache.fetch(request).value.head.status)  // a 404 is an answer here, not an error
    } catch {
        print(error.isNoConnectionError ? "no connection" : "failed: \(error)")
    }
    // End of example
}

private func objectCacheExample(
    store: Store, transport: any Transport, service: any ObjectService, outbox: Outbox
) async throws {
    // Example of ObjectCache
    let objects = ObjectCache.system(
        service: service, transport: transport, store: store, outbox: outbox,
        classes: [ObjectClass("User", persistence: .persistent)])
    let name = ObjectName(class: "User", id: "7")
    let user = try await objects.object(name)  // the server's version; without a connection the stored one
    print(user.origin, user.value.payload.count)
    try await objects.save(name, payload: Array(#"{"name":"Jane"}"#.utf8))  // sent, or queued and shown at once
    // End of example
}

private func writeQueueExample(
    store: Store, transport: any Transport, service: any ObjectService, outbox: Outbox
) {
    // Example of OutboxWriteQueue
    let writes = OutboxWriteQueue(outbox, loadsAnswers: false)  // nothing is loaded after a write
    let objects = ObjectCache(
        service: service, transport: transport, persistent: .store(store, writes: writes),
        classes: [ObjectClass("User", persistence: .persistent)], host: .system())
    // End of example
    _ = objects
}

private func queryCacheExample(
    store: Store, loadArticles: @escaping @Sendable () async throws -> [Article]
) async throws {
    // Example of QueryCache
    let queries = QueryCache.system(store: store)
    let options = KeyedQueryOptions(staleAfter: .seconds(60), tags: ["articles"])
    let articles = try await queries.value(for: ["articles"], options: options) { try await loadArticles() }
    print(articles.value.count, articles.isStale)  // a stale list comes at once, and is fetched again
    await queries.invalidate(tag: "articles")
    // End of example
}
