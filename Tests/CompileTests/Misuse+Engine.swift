// Misuse: the misuses of the engine's transactions, cursors and spans.

extension Misuse {
    /// The tables of all modules.
    static let all = engine + store

    private static let enginePreamble = """
        import LarderEngine

        func use(_ bytes: borrowing RawSpan) {}
        func wait() async {}

        """

    /// Misuses of the engine's transactions, cursors and spans.
    static let engine = [
        Misuse(
            name: "a span kept after its read", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment, _ table: Table, _ key: [UInt8]) throws {
                    var kept: RawSpan?
                    try environment.read { view in
                        kept = try view.value(forKey: key.span.bytes, in: table)
                    }
                    if let kept { use(kept) }
                }
                """,
            diagnostic: "lifetime-dependent variable 'kept' escapes its scope",
            right: """
                func snippet(_ environment: Environment, _ table: Table, _ key: [UInt8]) throws {
                    var kept: Int?
                    try environment.read { view in
                        if let value = try view.value(forKey: key.span.bytes, in: table) { kept = value.byteCount }
                    }
                    _ = kept
                }
                """),
        Misuse(
            name: "a span returned from its read", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment, _ table: Table, _ key: [UInt8]) throws {
                    let kept = try environment.read { view -> RawSpan? in
                        try view.value(forKey: key.span.bytes, in: table)
                    }
                    if let kept { use(kept) }
                }
                """,
            diagnostic:
                "referencing instance method 'read' on 'Optional' requires that 'RawSpan' conform to 'Escapable'",
            right: """
                func snippet(_ environment: Environment, _ table: Table, _ key: [UInt8]) throws {
                    let kept = try environment.read { view in try view.value(forKey: key.span.bytes, in: table) == nil }
                    _ = kept
                }
                """),
        Misuse(
            name: "an await inside a read", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment) async throws {
                    try environment.read { view in
                        await wait()
                    }
                }
                """,
            diagnostic: "cannot pass function of type '(ReadTransaction) async -> ()' to parameter expecting",
            right: """
                func snippet(_ environment: Environment) async throws {
                    _ = try environment.read { view in view.commit }
                    await wait()
                }
                """),
        Misuse(
            name: "an await inside a write", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment) async throws {
                    try environment.writeBlocking { transaction in
                        await wait()
                    }
                }
                """,
            diagnostic: "cannot pass function of type '(inout WriteTransaction) async -> ()' to parameter expecting",
            right: """
                func snippet(_ environment: Environment) async throws {
                    _ = try environment.writeBlocking { transaction in transaction.isDirty }
                    await wait()
                }
                """),
        Misuse(
            name: "a span used after a change of the same transaction", preamble: enginePreamble,
            wrong: """
                func snippet(_ transaction: inout WriteTransaction, _ table: Table, _ key: [UInt8]) throws {
                    guard let old = try transaction.reader.value(forKey: key.span.bytes, in: table) else { return }
                    try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
                    use(old)
                }
                """,
            diagnostic: "overlapping accesses to 'transaction', but modification requires exclusive access",
            right: """
                func snippet(_ transaction: inout WriteTransaction, _ table: Table, _ key: [UInt8]) throws {
                    if let old = try transaction.reader.value(forKey: key.span.bytes, in: table) { use(old) }
                    try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
                }
                """),
        Misuse(
            name: "a reader of a write transaction used after a change", preamble: enginePreamble,
            wrong: """
                func snippet(_ transaction: inout WriteTransaction, _ table: Table, _ key: [UInt8]) throws {
                    let reader = transaction.reader
                    try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
                    _ = try reader.statistics(of: table)
                }
                """,
            diagnostic: "overlapping accesses to 'transaction', but modification requires exclusive access",
            right: """
                func snippet(_ transaction: inout WriteTransaction, _ table: Table, _ key: [UInt8]) throws {
                    try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
                    let reader = transaction.reader
                    _ = try reader.statistics(of: table)
                }
                """),
        Misuse(
            name: "a change beneath a reading cursor", preamble: enginePreamble,
            wrong: """
                func snippet(_ transaction: inout WriteTransaction, _ table: Table, _ key: [UInt8]) throws {
                    try transaction.reader.withCursor(in: table) { cursor in
                        while try cursor.next() != nil { try transaction.remove(key.span.bytes, in: table) }
                    }
                }
                """,
            diagnostic: "overlapping accesses to 'transaction', but modification requires exclusive access",
            right: """
                func snippet(_ transaction: inout WriteTransaction, _ table: Table, _ key: [UInt8]) throws {
                    try transaction.reader.withCursor(in: table) { cursor in while try cursor.next() != nil {} }
                    try transaction.remove(key.span.bytes, in: table)
                }
                """),
        Misuse(
            name: "two entries of one cursor", preamble: enginePreamble,
            wrong: """
                func snippet(_ cursor: inout Cursor) throws {
                    guard let first = try cursor.next() else { return }
                    guard let second = try cursor.next() else { return }
                    use(first.key)
                    use(second.key)
                }
                """,
            diagnostic: "overlapping accesses to 'cursor', but modification requires exclusive access",
            right: """
                func snippet(_ cursor: inout Cursor) throws {
                    if let first = try cursor.next() { use(first.key) }
                    if let second = try cursor.next() { use(second.key) }
                }
                """),
        Misuse(
            name: "a write transaction in a task", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment) throws {
                    try environment.writeBlocking { transaction in
                        Task { _ = transaction.isDirty }
                        return
                    }
                }
                """,
            diagnostic: "escaping closure captures 'inout' parameter 'transaction'",
            right: """
                func snippet(_ environment: Environment) throws {
                    try environment.writeBlocking { transaction in
                        let isDirty = transaction.isDirty
                        Task { _ = isDirty }
                        return
                    }
                }
                """),
        Misuse(
            name: "a read transaction stored", preamble: enginePreamble,
            wrong: """
                struct Holder: ~Copyable { var view: ReadTransaction }
                func snippet(_ environment: Environment) throws {
                    try environment.read { view in
                        let holder = Holder(view: view)
                        _ = holder.view.commit
                    }
                }
                """,
            diagnostic:
                "stored property 'view' of 'Escapable'-conforming struct 'Holder' has non-Escapable type 'ReadTransaction'",
            right: """
                struct Holder: ~Copyable { var commit: UInt64 }
                func snippet(_ environment: Environment) throws {
                    try environment.read { view in
                        let holder = Holder(commit: view.commit)
                        _ = holder.commit
                    }
                }
                """),
        Misuse(
            name: "a read transaction in a task", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment) throws {
                    try environment.read { view in
                        Task { _ = view.commit }
                        return
                    }
                }
                """,
            diagnostic: "passing closure as a 'sending' parameter risks causing data races",
            right: """
                func snippet(_ environment: Environment) throws {
                    try environment.read { view in
                        let commit = view.commit
                        Task { _ = commit }
                        return
                    }
                }
                """),
        Misuse(
            name: "a cursor kept after its read", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment, _ table: Table) throws {
                    var kept: Cursor?
                    try environment.read { view in
                        try view.withCursor(in: table) { cursor in kept = consume cursor }
                    }
                }
                """,
            diagnostic: "missing reinitialization of inout parameter 'cursor' after consume",
            right: """
                func snippet(_ environment: Environment, _ table: Table) throws {
                    var kept: Int?
                    try environment.read { view in
                        try view.withCursor(in: table) { cursor in kept = try cursor.first()?.key.byteCount }
                    }
                    _ = kept
                }
                """),
        Misuse(
            name: "a read transaction in a closure that stays", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment) throws {
                    var kept: (() -> UInt64)?
                    try environment.read { view in kept = { view.commit } }
                    _ = kept?()
                }
                """,
            diagnostic: "lifetime-dependent variable 'view' escapes its scope",
            right: """
                func snippet(_ environment: Environment) throws {
                    var kept: (() -> UInt64)?
                    try environment.read { view in
                        let commit = view.commit
                        kept = { commit }
                    }
                    _ = kept?()
                }
                """),
        Misuse(
            name: "two cursors exchanged", preamble: enginePreamble,
            wrong: """
                func snippet(_ environment: Environment, _ other: Environment, _ table: Table) throws {
                    try environment.read { view in
                        try view.withCursor(in: table) { outer in
                            try other.read { view in
                                try view.withCursor(in: table) { inner in swap(&outer, &inner) }
                            }
                        }
                    }
                }
                """,
            diagnostic: "global function 'swap' requires that 'Cursor' conform to 'Escapable'",
            right: """
                func snippet(_ environment: Environment, _ other: Environment, _ table: Table) throws {
                    try environment.read { view in
                        try view.withCursor(in: table) { outer in
                            try other.read { view in
                                try view.withCursor(in: table) { inner in
                                    _ = try outer.next() == nil && inner.next() == nil
                                }
                            }
                        }
                    }
                }
                """),
    ]
}
