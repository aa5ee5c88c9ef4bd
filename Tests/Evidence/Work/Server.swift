// Server: the server of a workload, and the sync of a store with it.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport

/// The server of a workload: an origin in the same process, with three resources of a few dozen rows.
struct Server {
    static let filter = "tafsirs:*;translations:*"
    private static let filler = String(repeating: "0123456789", count: 500)
    static let resources = [
        Origin.ResourceID("translations", 1), Origin.ResourceID("translations", 2), Origin.ResourceID("tafsirs", 1),
    ]

    let origin = Origin(secret: TokenSecret(3, 4), now: { 1_700_000_000_000 })
    private var changes = 0
    private var hidden: Set<Int> = []

    /// The resources that are not hidden.
    var shownResources: [Origin.ResourceID] {
        Self.resources.indices.filter { !hidden.contains($0) }.map { Self.resources[$0] }
    }

    init() throws {
        for number in Self.resources.indices {
            _ = try origin.createResource(Self.resources[number], rows: rows(of: number, count: 40))
        }
    }

    private func row(_ resource: Int, _ key: Int) -> Origin.Row {
        let length = key % 13 == 0 ? 5000 : 30 + key * 7 % 60
        let text = Self.filler.prefix(length)
        return Origin.Row(
            type: resource == 2 ? "tafsir" : "translation", key: String(key),
            "{\"id\":\(key),\"text\":\"\(changes) \(text)\"}")
    }

    private func rows(of resource: Int, count: Int) -> [Origin.Row] { (1...count).map { row(resource, $0) } }

    /// Makes one change of the content.
    mutating func change(_ random: inout SplitMix64) throws {
        changes += 1
        let number = Int.random(in: 0..<3, using: &random)
        let resource = Self.resources[number]
        if hidden.remove(number) != nil {
            _ = try origin.publishResource(resource)
            return
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4:
            let count = Int.random(in: 1...60, using: &random)
            _ = try origin.replaceRows(of: resource, with: rows(of: number, count: count))
        case 4..<6: _ = try origin.deleteRow(Origin.RowKey(number == 2 ? "tafsir" : "translation", "1"), in: resource)
        case 6:
            _ = try origin.hideResource(resource)
            hidden.insert(number)
        case 7: origin.invalidateTokens()
        default: _ = try origin.putRow(row(number, Int.random(in: 1...60, using: &random)), in: resource)
        }
    }

    /// Syncs a store to the newest change.
    func sync(_ store: Store) async throws {
        let base = BaseURL("http://127.0.0.1/content")
        let sync = ContentSync(
            store: store, transport: OriginTransport(origin),
            configuration: SyncConfiguration(base: base, perPage: 4, concurrentSnapshots: 1))
        _ = try await sync.sync(ResourceFilter(Self.filter))
    }
}
