// Misuse: the misuses of the store's views, transactions and rows.

extension Misuse {
    private static let storePreamble = """
        import LarderFormat
        import LarderStore

        func use(_ bytes: borrowing RawSpan) {}
        func wait() async {}

        """

    /// Misuses of the store's views, transactions and rows.
    static let store = [
        Misuse(
            name: "a payload kept after its view", preamble: storePreamble,
            wrong: """
                func snippet(_ store: Store, _ key: RowKey) throws {
                    var kept: RawSpan?
                    try store.read { view in
                        if let row = try view.row(at: key) { kept = row.payload }
                    }
                    if let kept { use(kept) }
                }
                """,
            diagnostic: "lifetime-dependent variable 'kept' escapes its scope",
            right: """
                func snippet(_ store: Store, _ key: RowKey) throws {
                    var kept: Int?
                    try store.read { view in
                        if let row = try view.row(at: key) { kept = row.payload.byteCount }
                    }
                    _ = kept
                }
                """),
        Misuse(
            name: "an await inside a view", preamble: storePreamble,
            wrong: """
                func snippet(_ store: Store) async throws {
                    try store.read { view in
                        await wait()
                    }
                }
                """,
            diagnostic: "cannot pass function of type '(borrowing ReadView) async -> ()' to parameter expecting",
            right: """
                func snippet(_ store: Store) async throws {
                    _ = try store.read { view in view.commit }
                    await wait()
                }
                """),
        Misuse(
            name: "an await inside a store's write", preamble: storePreamble,
            wrong: """
                func snippet(_ store: Store) async throws {
                    try await store.write { transaction in
                        await wait()
                    }
                }
                """,
            diagnostic:
                "cannot pass function of type '@Sendable (inout Transaction) async -> ()' to parameter expecting",
            right: """
                func snippet(_ store: Store) async throws {
                    try await store.write { transaction in _ = transaction.commit }
                    await wait()
                }
                """),
        Misuse(
            name: "a payload used after a change", preamble: storePreamble,
            wrong: """
                func snippet(_ store: Store, _ key: RowKey) throws {
                    try store.writeBlocking { transaction in
                        guard let row = try transaction.row(at: key) else { return }
                        try transaction.removeRow(at: key)
                        use(row.payload)
                    }
                }
                """,
            diagnostic: "overlapping accesses to 'transaction', but modification requires exclusive access",
            right: """
                func snippet(_ store: Store, _ key: RowKey) throws {
                    try store.writeBlocking { transaction in
                        if let row = try transaction.row(at: key) { use(row.payload) }
                        try transaction.removeRow(at: key)
                    }
                }
                """),
        Misuse(
            name: "a store's transaction in a task", preamble: storePreamble,
            wrong: """
                func snippet(_ store: Store, _ key: RowKey) throws {
                    try store.writeBlocking { transaction in
                        Task { try transaction.removeRow(at: key) }
                    }
                }
                """,
            diagnostic: "escaping closure captures 'inout' parameter 'transaction'",
            right: """
                func snippet(_ store: Store, _ key: RowKey) throws {
                    try store.writeBlocking { transaction in
                        _ = try transaction.removeRow(at: key)
                    }
                }
                """),
        Misuse(
            name: "a write marked as delivered", preamble: storePreamble,
            wrong: """
                func snippet(_ store: Store, _ id: UUIDBytes) async throws {
                    try await store.write { transaction in try transaction.completeEntry(id, at: 0) }
                }
                """,
            diagnostic: "'completeEntry' is inaccessible due to 'package' protection level",
            right: """
                func snippet(_ store: Store, _ id: UUIDBytes) async throws {
                    _ = try await store.write { transaction in try transaction.outboxEntry(id) }
                }
                """),
    ]
}
