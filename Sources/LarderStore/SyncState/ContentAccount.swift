internal import LarderEngine
internal import LarderFormat

// Content that a server gives to one account is not shown to another: the store records whose it is.

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The account that rows, tokens and collections belong to; nil where accounts share them.
    ///
    /// A damaged record counts as none; `verify` reports it.
    ///
    /// - Throws: ``EngineError``.
    public borrowing func contentAccount() throws -> String? { try tables.servers(in: engine).account }

    /// Whether content is stored that belongs to another account than this one.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``EngineError``.
    /// - Complexity: O(*n*) for *n* resources where the content belongs to another account, O(1) otherwise.
    package borrowing func hasContent(ofOtherAccountThan account: String) throws -> Bool {
        guard let owner = try contentAccount(), !owner.equalsBytewise(account) else { return false }
        if try tables.holdsAny(.sync, in: engine) || tables.holdsAny(.objects, in: engine) { return true }
        return try tables.hasResource(in: engine) { _, record in record.liveGeneration != nil }
    }
}

extension Transaction {
    /// Records that the content belongs to an account, from now on and where it belonged to none.
    ///
    /// - Precondition: no content of another account is stored
    ///   (``StoreReader/hasContent(ofOtherAccountThan:)``).
    /// - Throws: ``StoreError``; ``EngineError``.
    package mutating func bindContent(to account: String) throws {
        var record = try tables.servers(in: engine)
        if record.account?.equalsBytewise(account) == true { return }
        record.account = account
        try put(body: record.encode(), key: ServersRecord.key, in: .meta)
    }
}
