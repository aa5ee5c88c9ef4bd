// Proves the cost of row changes in lookups, sets and bytes hashed: a resource's counts are written once a commit.
#if DEBUG
import LarderFormat
import LarderStore
import Testing

@Suite struct `The cost of row changes` {
    private let temporary = TemporaryStore()
    private let payload = bytes(#"{"n":"000000"}"#)

    private func open(with rows: Int) async throws -> Store {
        let store = try temporary.open()
        try await store.put((0..<rows).map { key($0) })
        return store
    }

    /// The cost of each put of a write that puts rows of new or known keys.
    private func costs(_ store: Store, of keys: Range<Int>) throws -> [Cost] {
        try store.writeBlocking { transaction in
            var puts: [Cost] = []
            for number in keys {
                let cost = try Cost { try transaction.put(payload, at: key(number), updatedAt: 1) }
                puts.append(cost)
            }
            return puts
        }
    }

    @Test(arguments: [0..<100, 1000..<1100])
    func `a further row of a resource costs one lookup and one set`(keys: Range<Int>) async throws {
        let store = try await open(with: 100)
        let puts = try costs(store, of: keys)
        #expect(puts[0].lookups == 3 && puts[0].sets == 1, "\(puts[0])")
        for put in puts.dropFirst() { #expect(put.lookups == 1 && put.sets == 1, "\(put)") }
        // The key and the row; of the first also the key and the record of the resource.
        for put in puts { #expect(put.hashed < 130, "\(put)") }
    }

    @Test func `a row is removed at two lookups and no set`() async throws {
        let store = try await open(with: 100)
        let cost = try store.writeBlocking { transaction in
            try transaction.removeRow(at: key(1))
            return try Cost { try transaction.removeRow(at: key(2)) }
        }
        #expect(cost.lookups == 2 && cost.sets == 0, "\(cost)")
    }
}
#endif
