package import LarderFormat
package import LarderStore

/// The rows of one list in the store: what a pass reads and writes.
package struct ListRows: Sendable {
    let store: Store
    let resource: ResourceKey
    let type: String

    /// What a range read found.
    package struct Found: Sendable {
        /// The rows, in order.
        package var rows: [LocalRow] = []
        /// All rows of the list; where few are missing from the page, those of other types may be among them.
        package var count = 0
        /// The generation that was read; nil without one.
        package var generation: Int64?
    }

    /// The rows of one type of a resource.
    package init(store: Store, resource: ResourceKey, type: String) {
        self.store = store
        self.resource = resource
        self.type = type
    }

    /// Compares the rows of `range` with the items of a page, in one range read.
    ///
    /// - Parameter most: the rows that may be missing from the page before those of the list are counted one by one.
    package func compare(_ range: KeyRange, with page: ListPage, countingBeyond most: Int = 10) throws -> Found {
        try store.read { view in
            guard let known = try view.resource(resource), known.state == .ready else { return Found() }
            var found = Found(count: known.rowCount, generation: known.generation)
            var items = page.items[...]
            try view.forEachServerRow(in: rowRange(range)) { entry in
                let (_, key) = try entry.key()
                while let item = items.first, KeyOrder.isBefore(item.key, key) { items.removeFirst() }
                guard let item = items.first, KeyOrder.isSame(item.key, key) else {
                    found.rows.append(LocalRow(key: key, .unanswered))
                    return
                }
                found.rows.append(LocalRow(key: key, Self.compare(entry.row, with: item)))
            }
            if found.rows.count(where: { $0.comparison == .unanswered }) > most {
                found.count = try view.forEachServerRow(in: .type(type, of: resource), verified: false) { _ in }
            }
            return found
        }
    }

    /// Applies what a page changes, in one commit: deletions first, so that they make room.
    ///
    /// - Throws: ``ListError/superseded(_:)`` when the rows are not those that were read.
    package func apply(_ changes: ListChanges, of page: ListPage, to generation: Int64?) async throws {
        let written = Set((changes.created + changes.updated.map(\.key)).map { Array($0.utf8) })
        let items = page.items.filter { written.contains(Array($0.key.utf8)) }
        try await store.write { transaction in
            let known = try transaction.resource(resource)
            let live = known?.state == .ready ? known?.generation : nil
            guard live == generation else { throw ListError.superseded(resource) }
            try transaction.noteUnfinished(resource)
            for key in changes.deleted {
                try transaction.removeRow(at: RowKey(resource: resource, type: type, key: key))
            }
            for item in items {
                let key = RowKey(resource: resource, type: type, key: item.key)
                try transaction.put(item.payload, at: key, updatedAt: item.updatedAt ?? 0)
            }
        }
    }

    /// Notes that the rows are those of the server: the list's mark.
    func noteWhole() async throws {
        let now = store.host.now()
        try await store.write { transaction in try transaction.noteWhole(resource, now: now) }
    }

    private func rowRange(_ range: KeyRange) -> RowRange {
        switch range {
        case .open(let after, let through): .keys(after: after, through: through, type: type, of: resource)
        case .closed(let from, let through): .keys(from: from, through: through, type: type, of: resource)
        }
    }

    private static func compare(_ row: borrowing Row, with item: ListItem) -> LocalRow.Comparison {
        let isSameTime = item.updatedAt == nil || item.updatedAt == row.updatedAt
        let payload = [UInt8](copying: row.payload)
        if payload == item.payload { return isSameTime ? .same : .changed(members: []) }
        let members = MemberComparison.changedMembers(payload, item.payload)
        // Spelled differently, and the same: white space between members, or their order.
        if members == [], isSameTime { return .same }
        return .changed(members: members)
    }
}
