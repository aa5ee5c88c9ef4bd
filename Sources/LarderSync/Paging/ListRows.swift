package import LarderFormat
internal import LarderJSON
package import LarderStore

/// The rows of one list in the store, as a pass reads and writes them.
package struct ListRows: Sendable {
    /// The number of rows in one read, and the most that one commit deletes.
    private static let batch = 2000

    let store: Store
    let resource: ResourceKey
    let type: String
    /// The members that a row keeps where the item that replaces it lacks them.
    let localMembers: Set<String>
    private let origin: ContentOrigin

    /// The result of a comparison.
    package struct Comparison: Sendable {
        /// The stored row of every item, in the order of the page.
        package var rows: [RowDifference] = []
        /// The generation that was read; nil without one.
        package var generation: Int64?
    }

    /// The rows that a walk did not see.
    struct Missing: Sendable {
        /// The hashes of their keys.
        var hashes: [UInt64] = []
        /// The number of all rows of the list.
        var rowCount = 0
        /// The number of reads that found them.
        var reads = 0
        /// The generation that was read; nil without one.
        var generation: Int64?
    }

    /// The rows of one type of a resource.
    ///
    /// - Parameter localMembers: as ``ListConfiguration/localMembers``.
    /// - Throws: `ContentSignedOut` while the account of the content is not signed in; as `Store.read(_:)`.
    package init(store: Store, resource: ResourceKey, type: String, localMembers: Set<String> = []) throws {
        origin = try store.read { view in try ContentOrigin(view) }
        self.localMembers = localMembers
        self.store = store
        self.resource = resource
        self.type = type
    }

    /// Compares the items of a page with the rows of their keys, in one read.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a key beyond the limits, ``StoreError/damaged(table:reason:)``,
    ///   ``EngineError``.
    package func compare(_ page: ListPage) throws -> Comparison {
        try store.read { view in
            guard let known = try view.resource(resource), known.state == .ready else {
                return Comparison(rows: page.items.map { _ in .none })
            }
            var found = Comparison(generation: known.generation)
            for item in page.items {
                if let row = try view.serverRow(at: RowKey(resource: resource, type: type, key: item.key)) {
                    found.rows.append(compare(row, with: item))
                } else {
                    found.rows.append(.none)
                }
            }
            return found
        }
    }

    /// Writes the items of a page that differ from their rows, in one commit.
    ///
    /// - Throws: ``ListError/superseded(_:)`` when the generation is no longer the one that was read; ``StoreError`` or
    ///   ``EngineError`` when the store fails.
    package func apply(_ page: ListPage, _ found: Comparison) async throws {
        let items = zip(page.items, found.rows).filter { $1 != .same }.map(\.0)
        try await write(to: found.generation) { transaction in
            for item in items {
                let key = RowKey(resource: resource, type: type, key: item.key)
                var before: [UInt8]?
                if !localMembers.isEmpty, let row = try transaction.serverRow(at: key) {
                    before = [UInt8](copying: row.payload)
                }
                try transaction.put(mergedPayload(of: item, over: before), at: key, updatedAt: item.updatedAt ?? 0)
            }
        }
    }

    /// Returns the rows whose keys are not in `seen`.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows; 8 bytes for each that is missing.
    func missing(from seen: SeenKeys) throws -> Missing {
        var missing = Missing()
        missing.generation = try store.read { view in
            try view.resource(resource).flatMap { $0.state == .ready ? $0.generation : nil }
        }
        guard missing.generation != nil else { return missing }
        var after: String?
        repeat {
            after = try forEachKey(after: after) { key in
                missing.rowCount += 1
                let hash = SeenKeys.hash(of: key)
                if !seen.contains(hash) { missing.hashes.append(hash) }
            }
            missing.reads += 1
        } while after != nil
        return missing
    }

    /// Deletes the rows with these hashes, which are sorted, in several commits.
    ///
    /// - Parameter body: receives the keys of each commit.
    /// - Throws: ``ListError/superseded(_:)`` when the rows are not those of `generation`.
    func delete(_ hashes: SeenKeys, from generation: Int64?, _ body: ([String]) -> Void) async throws {
        var after: String?
        repeat {
            var keys: [String] = []
            after = try forEachKey(after: after) { key in
                if hashes.contains(SeenKeys.hash(of: key)) { keys.append(key) }
            }
            guard !keys.isEmpty else { continue }
            let batch = keys
            try await write(to: generation) { transaction in
                for key in batch { try transaction.removeRow(at: RowKey(resource: resource, type: type, key: key)) }
            }
            body(keys)
        } while after != nil
    }

    /// Marks the list as complete: its rows are those of the server.
    ///
    /// - Throws: ``ListError/superseded(_:)`` when the content was removed meanwhile, or is of another account by now.
    package func markComplete() async throws {
        let now = store.host.now()
        try await store.write { transaction in
            try checkOrigin(transaction)
            try transaction.markComplete(resource, now: now)
        }
    }

    private func checkOrigin(_ transaction: borrowing Transaction) throws {
        guard try ContentOrigin(transaction) == origin else { throw ListError.superseded(resource) }
    }

    /// Calls `body` with the next keys in order, and returns the last of them, or nil when no more follow.
    private func forEachKey(after: String?, _ body: (String) -> Void) throws -> String? {
        try store.read { view in
            var last: String?
            let range = RowRange.keys(after: after, through: nil, type: type, of: resource)
            let count = try view.forEachServerRow(in: range, limit: Self.batch, verified: false) { entry in
                let (_, key) = try entry.key()
                body(key)
                last = key
            }
            return count == Self.batch ? last : nil
        }
    }

    private func write(
        to generation: Int64?, _ body: @escaping @Sendable (inout Transaction) throws -> Void
    ) async throws {
        try await store.write { transaction in
            try checkOrigin(transaction)
            let known = try transaction.resource(resource)
            let live = known?.state == .ready ? known?.generation : nil
            guard live == generation else { throw ListError.superseded(resource) }
            try transaction.markIncomplete(resource)
            try body(&transaction)
        }
    }

    /// Returns the payload of an item, with the members that are kept of the row.
    private func mergedPayload(of item: ListItem, over row: [UInt8]?) -> [UInt8] {
        guard !localMembers.isEmpty, let old = row.flatMap({ JSONMembers($0) }), var new = JSONMembers(item.payload)
        else {
            return item.payload
        }
        let retained = localMembers.sorted().compactMap { new[$0] == nil ? old[$0] : nil }
        if retained.isEmpty { return item.payload }
        for member in retained { new.put(member) }
        return new.text
    }

    private func compare(_ row: borrowing Row, with item: ListItem) -> RowDifference {
        let isSameTime = item.updatedAt == nil || item.updatedAt == row.updatedAt
        let before = [UInt8](copying: row.payload)
        let after = mergedPayload(of: item, over: before)
        if before == after { return isSameTime ? .same : .changed(members: []) }
        let members = Self.changedMembers(before, after)
        // Only the spelling differs: white space between members, or their order.
        if members == [], isSameTime { return .same }
        return .changed(members: members)
    }

    /// Returns the sorted names of members that only one of two JSON objects has, or whose values differ.
    ///
    /// It is nil when one is not an object with distinct names. Values are compared as they are spelled, strings
    /// decoded.
    private static func changedMembers(_ old: [UInt8], _ new: [UInt8]) -> [String]? {
        guard let old = try? JSONMembers(old.rawSpan.bytes, limits: .stored),
            let new = try? JSONMembers(new.rawSpan.bytes, limits: .stored)
        else { return nil }
        let names = old.members.map(\.name) + new.members.map(\.name).filter { old[$0] == nil }
        let changed = names.filter { name in
            guard let left = old[name], let right = new[name], left.value != right.value else {
                return old[name] == nil || new[name] == nil
            }
            guard let text = left.decoded?.text, let other = right.decoded?.text else { return true }
            return !text.utf8.elementsEqual(other.utf8)
        }
        return changed.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
