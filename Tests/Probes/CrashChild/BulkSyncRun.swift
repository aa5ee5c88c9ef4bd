// BulkSyncRun: syncs bulk content once, to the end, and reports every row that is fetched.

import CrashWorld
import Larder
import LarderStore
import LarderSync

/// Syncs bulk content once, to the end, and reports every row that is fetched.
struct BulkSyncRun {
    let path: String
    let content: BulkContent
    let perPage: Int

    func run() async throws {
        let base = BaseURL("http://127.0.0.1/content")
        let store = try Store.open(at: path)
        let transport = try BulkTransport(content) { resource, rows in acknowledge(.fetching(resource, rows: rows)) }
        let sync = ContentSync(
            store: store, transport: transport, configuration: SyncConfiguration(base: base, perPage: perPage))
        acknowledge(.ready)
        _ = try await sync.sync(ResourceFilter(BulkContent.filter))
        try store.close()
        acknowledge(.done)
    }
}
