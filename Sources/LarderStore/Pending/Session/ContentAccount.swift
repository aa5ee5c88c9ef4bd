internal import LarderEngine
internal import LarderFormat

// Content that a server gives to one account is not shown to another, and not fetched while that account is signed out:
// the store records whose it is.

/// The content belongs to an account that is not signed in: nothing is fetched or stored for it.
package struct ContentSignedOut: Error, CustomStringConvertible {
    package var description: String { "The content belongs to an account that is not signed in." }
}

/// The content that a fetch is for: it may be stored only while this stays the same.
package struct ContentOrigin: Hashable, Sendable {
    private let timeline: Int64
    private let account: [UInt8]?

    /// - Throws: ``ContentSignedOut`` while the account of the content is not signed in;
    ///   ``StoreError/damaged(table:reason:)``; ``EngineError``.
    package init(_ view: borrowing ReadView) throws {
        timeline = try view.appliedPosition().timeline
        account = try view.accountToFetchFor().map { Array($0.utf8) }
    }

    /// - Throws: As ``init(_:)``.
    package init(_ transaction: borrowing Transaction) throws {
        timeline = try transaction.appliedPosition().timeline
        account = try transaction.accountToFetchFor().map { Array($0.utf8) }
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The account that rows, tokens and collections belong to; nil where accounts share them.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` where the record is damaged and content is left, whose account
    ///   is then unknown: ``Store/clear(discardingUnsent:)`` removes it. `EngineError`.
    public borrowing func contentAccount() throws -> String? { try tables.servers(in: engine).account }

    /// The account that content is fetched for: the one that it belongs to; nil where accounts share it.
    ///
    /// - Throws: ``ContentSignedOut`` while that account is not signed in; ``StoreError/damaged(table:reason:)``;
    ///   ``EngineError``.
    package borrowing func accountToFetchFor() throws -> String? {
        guard let account = try contentAccount() else { return nil }
        guard let session = try session(), session.state != .signedOut, session.isOf(account) else {
            throw ContentSignedOut()
        }
        return account
    }

    /// Whether content is stored that belongs to another account than this one.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``EngineError``.
    /// - Complexity: O(*n*) for *n* resources where the content belongs to another account, O(1) otherwise.
    package borrowing func hasContent(ofOtherAccountThan account: String) throws -> Bool {
        guard let owner = try contentAccount(), !owner.equalsBytewise(account) else { return false }
        if try tables.holdsAny(.sync, in: engine) || tables.holdsAny(.objects, in: engine) { return true }
        return try tables.hasResource(in: engine) { _, record in record.liveGeneration != nil || record.overlays > 0 }
    }
}

extension Transaction {
    /// Records that the content belongs to an account, from now on and where it belonged to none; nil: to all accounts.
    ///
    /// A damaged record stays while content is left, so that the content is not fetched and no account signs in to it.
    ///
    /// - Precondition: no content of another account is stored (``StoreReader/hasContent(ofOtherAccountThan:)``).
    /// - Throws: ``StoreError``; ``EngineError``.
    package mutating func bindContent(to account: String?) throws {
        try updateAccount { _ in account }
    }

    /// Records that content which belongs to no account belongs to this one, as ``bindContent(to:)``.
    ///
    /// - Throws: ``StoreError``; ``EngineError``.
    package mutating func bindUnownedContent(to account: String) throws {
        try updateAccount { owner in owner ?? account }
    }

    private mutating func updateAccount(_ update: (String?) -> String?) throws {
        var record: ServersRecord
        do {
            record = try tables.servers(in: engine)
        } catch StoreError.damaged {
            return
        }
        let account = update(record.account)
        if record.account.equalsBytewise(account) { return }
        record.account = account
        try put(body: record.encode(), key: ServersRecord.key, in: .meta)
    }
}
