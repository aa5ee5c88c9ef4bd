// FirstScreen: the first example of README.md, compiled; a test compares the two.

#if AsyncHTTPClient
// What README.md shows first, between the marks; a test compares the two.

// README begins
import Larder
import LarderAsyncHTTPClient

struct Translation: Codable { var id: Int, text: String }

func readTheVerses(path: String, base: BaseURL, headers: HTTPFields) async throws {
    let store = try Store.open(at: path)  // one file, made when missing
    let sync = ContentSync(
        store: store, transport: AsyncHTTPClientTransport(),
        configuration: SyncConfiguration(base: base), credentials: FixedCredentials(headers))
    _ = try await sync.sync(ResourceFilter("translations:19,20"))  // everything, then only changes

    let resource = ResourceKey("translations", 19)
    let key = RowKey(resource: resource, type: "translation", key: "85108")
    let verse = try store.read { view in try view.value(Translation.self, at: key) }  // no network, no waiting
    print(verse?.text ?? "not here")

    for try await count in store.values(in: .resource(resource), { view in try view.resource(resource)?.rowCount }) {
        print(count ?? 0, "rows, always a complete version")  // now, and after every change
    }
}
// README ends
#endif
