// Proves, over random histories, that a client of the protocol converges to the server's content.

import LarderServer
import Testing

@Suite struct `A client that follows the protocol` {
    /// Random changes before every page and every snapshot, random page sizes, forgotten changes, rejected tokens.
    @Test(arguments: OriginBackend.allCases, 0..<60)
    func `holds what the server holds once the server rests`(backend: OriginBackend, seed: UInt64) async throws {
        // Some seeds are enough where each command is a commit of a database.
        guard backend == .embedded || seed < 4 else { return }
        var generator = SplitMix64(state: seed)
        let origin = try await backend.open(groups: GroupTable(["a": GroupTable.openRules, "b": GroupTable.openRules]))
        let filters = ["a:*", "a:1,3;b:*", "b:2"]
        var clients = filters.map { ReferenceClient(filter: $0) }
        for _ in 0..<30 {
            for index in clients.indices {
                try await clients[index].sync(origin, pageSize: .random(in: 1...7, using: &generator)) {
                    for _ in 0..<Int.random(in: 0...3, using: &generator) {
                        try await change(origin, &generator)
                    }
                }
            }
        }
        for index in clients.indices {
            // A token rejected in the first of the two makes the second a first sync.
            for _ in 0..<2 { try await clients[index].sync(origin, pageSize: 100) {} }
            let expected = try await ReferenceClient.expected(origin, filter: filters[index])
            #expect(clients[index].resources == expected, "seed \(seed), filter \(filters[index])")
            #expect(clients[index].token != nil)
        }
        #expect(Set(try await origin.changes.map(\.kind.name)).count >= 3, "seed \(seed) makes hardly any change")
    }

    private func change(_ origin: any EditableOrigin, _ generator: inout SplitMix64) async throws {
        let group = Bool.random(using: &generator) ? "a" : "b"
        let resource = Origin.ResourceID(group, .random(in: 1...4, using: &generator))
        let row = Origin.Row(
            type: "t", key: String(Int.random(in: 1...9, using: &generator)), "{\"n\":\(generator.next() >> 12)}")
        do {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0..<4: try await origin.createResource(resource, rows: [row])
            case 4..<20: try await origin.putRow(row, in: resource)
            case 20..<28: try await origin.deleteRow(row.key, in: resource)
            case 28..<30: try await origin.replaceRows(of: resource, with: [row])
            case 30..<33: try await origin.hideResource(resource, reason: nil)
            case 33..<36: try await origin.publishResource(resource)
            case 36..<38: try await origin.touchResource(resource)
            case 38: try await origin.removeChanges(before: origin.sequence - 20)
            default: if Int.random(in: 0..<5, using: &generator) == 0 { try await origin.invalidateTokens() }
            }
        } catch is OriginError {
            // A command that does not fit the resource's state is part of the game.
        }
    }
}
