// JoinedDownloads: two concurrent downloads of one response through a cache, each read by its own task and not stored.

import Larder
import LarderHTTP
import LarderStore
import LarderTransport

/// Two downloads of the same at a time through a cache, each read by a task of its own and kept nowhere else.
struct JoinedDownloads {
    let path: String
    let base: BaseURL
    let transport: any Transport

    func run() async throws {
        let store = try Store.open(at: path)
        let cache = HTTPCache(transport: transport, persistent: StoreResponseCache(store: store), services: .system())
        let request = FetchRequest(base.request(appending: "/join"))
        // What the first fetch of a process brings into memory is not counted.
        _ = try await cache.fetch(FetchRequest(base.request(appending: "/first"))).value.body.bytes()
        let pages = PeakMemory.storePages()
        let memory = PeakMemory()
        async let first = Self.read(cache, request)
        async let second = Self.read(cache, request)
        let counts = await [first, second]
        printResult("outcome", counts.joined(separator: " "))
        printResult("growth", "\(memory.growth())")
        printResult("pages", "\(PeakMemory.storePages() - pages)")
        let stored = try? await cache.fetch(request, .cacheOnly)
        printResult("kept", "\(stored == nil)")
        var findings = 0
        _ = try store.verify { _ in findings += 1 }
        printResult("findings", "\(findings)")
        await cache.close()
        try store.close()
    }

    /// The number of bytes, or what the download failed with.
    private static func read(_ cache: HTTPCache, _ request: FetchRequest) async -> String {
        do {
            var count = 0
            for try await chunk in try await cache.fetch(request).value.body { count += chunk.count }
            return "\(count)"
        } catch {
            return "\(error)"
        }
    }
}
