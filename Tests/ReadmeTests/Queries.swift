// The README's code for keyed queries and objects, compiled; between the two marks it is compared with the README.

#if AsyncHTTPClient
// README begins
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderAsyncHTTPClient

struct Visit: Codable { var id: Int, text: String }

func showTheVisits(store: Store, load: @escaping @Sendable (Int) async throws -> [Visit]) async throws {
    let queries = QueryCache.system(store: store)  // fetches again what is watched when the network is back
    let options = KeyedQueryOptions(retry: QueryRetry(limit: 3), refetchInterval: .seconds(60), tags: ["outlet 7"])

    let first = try await queries.value(for: ["first visits"], options: options) { try await load(0) }
    print(first.value.count, first.isStale, first.isFetching)  // what is here at once, a newer one behind it

    let list = PagedQuery(queries, ["visits"], options: options, first: 0, next: { $0.last?.id }, fetch: load)
    print(try await list.loadNext().value.joined().count)  // page after page under one key, in one state
    await queries.invalidate(tag: "outlet 7")  // stale from here on, also after a relaunch
}

func changeUsers(store: Store, base: BaseURL, service: any ObjectService) async throws {
    let transport = AsyncHTTPClientTransport()
    let outbox = Outbox.system(
        store: store, transport: transport, configuration: OutboxConfiguration(base: base).loadingObjects(of: service))
    let objects = ObjectCache.system(
        service: service, transport: transport, store: store, outbox: outbox,
        classes: [ObjectClass("User", persistence: .persistent)])

    let john = try await objects.collection(CollectionName(class: "User", query: "name == \"John\""))
    for user in john.value.objects { print(user.name.id) }  // the server's, or offline what the same query had last

    let name = ObjectName(class: "User", id: "7")
    try await objects.save(name, payload: Array(#"{"name":"Jane"}"#.utf8))  // sent, or shown at once and sent later
    for try await user in objects.values(of: name) {  // now, and after every change, whatever makes it
        print(user.map { String(decoding: $0.payload, as: UTF8.self) } ?? "gone")
        break
    }
}
// README ends
#endif
