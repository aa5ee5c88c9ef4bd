// MeasuredSync: a run that fills a store and a second one that is measured.

import Larder
import LarderStore
import LarderSync
import LarderTransport

/// A run that fills a store and a second one that is measured.
struct MeasuredSync {
    let path: String
    /// The size beyond which the store does not grow, in bytes; nil for the default.
    let cap: Int?
    let base: BaseURL
    let transport: any Transport

    func run() async throws {
        var options = StoreOptions()
        if let cap { (options.mapSize, options.mapSizeCap) = (cap, cap) }
        let store = try Store.open(at: path, options: options)
        let filter = ResourceFilter("translations:*")
        let sync = ContentSync(store: store, transport: transport, configuration: SyncConfiguration(base: base))
        _ = try await sync.sync(filter)
        let before = try state(store)
        let memory = PeakMemory()
        do throws(SyncError) {
            _ = try await sync.sync(filter)
            printResult("outcome", "success")
        } catch {
            printResult("outcome", "\(error)")
        }
        printResult("growth", "\(memory.growth())")
        printResult("kept", "\(try state(store) == before)")
        var findings = 0
        _ = try store.verify { _ in findings += 1 }
        printResult("findings", "\(findings)")
        try store.close()
    }

    /// Token, members, applied sequences, generations and rows, as text.
    private func state(_ store: Store) throws -> String {
        try store.read { view in
            var lines = try view.filters().map { "\($0.filter) \($0.token ?? "none") \($0.members)" }
            for resource in try view.resources() {
                lines.append(
                    "\(resource.key) \(resource.state) \(resource.generation ?? 0) \(resource.appliedSequence)")
                lines += try view.rows(in: .all(of: resource.key)).map { "\($0.key) \($0.payload)" }
            }
            return lines.joined(separator: "\n")
        }
    }
}
