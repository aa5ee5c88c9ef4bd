import Larder
import LarderTransport

/// A run that fills a store and a second one that is measured.
struct SyncVisit {
    let path: String
    /// The size beyond which the store does not grow, in bytes; nil for the default.
    let cap: Int?
    let base: BaseURL
    let transport: any Transport

    func run() async throws {
        var options = StoreOptions()
        if let cap { (options.mapSize, options.mapSizeCap) = (cap, cap) }
        let store = try Store.open(at: path, options: options)
        let filter = try ResourceFilter("translations:*")
        let sync = ContentSync(store: store, transport: transport, configuration: SyncConfiguration(base: base))
        _ = try await sync.sync(filter)
        let before = try state(store)
        let memory = PeakMemory()
        do throws(SyncError) {
            _ = try await sync.sync(filter)
            say("outcome", "success")
        } catch {
            say("outcome", "\(error)")
        }
        say("growth", "\(memory.growth())")
        say("kept", "\(try state(store) == before)")
        var findings = 0
        _ = try store.verify { _ in findings += 1 }
        say("findings", "\(findings)")
        try store.close()
    }

    /// Token, members, floors, generations and rows, as text.
    private func state(_ store: Store) throws -> String {
        try store.read { view in
            var lines = try view.filters().map { "\($0.filter) \($0.token ?? "none") \($0.members)" }
            for resource in try view.resources() {
                lines.append("\(resource.key) \(resource.state) \(resource.generation ?? 0) \(resource.floor)")
                lines += try view.rows(in: .all(of: resource.key)).map { "\($0.key) \($0.payload)" }
            }
            return lines.joined(separator: "\n")
        }
    }
}
