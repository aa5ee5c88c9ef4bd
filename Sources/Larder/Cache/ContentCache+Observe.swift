internal import LarderEngine
public import LarderFormat
internal import LarderStore

extension ContentCache {
    /// Returns the rows of a resource now, and again whenever they have changed, or the server has accepted a local
    /// write of one (``isPending(_:in:)``).
    ///
    /// The first value comes at once. An observer that is slower than the changes gets the newest; equal values are
    /// left out. The sequence ends when the task is cancelled or the cache closes; it throws as
    /// ``rows(_:in:keys:reversed:limit:)``.
    ///
    /// ```swift
    /// for try await notes in cache.observe(Note.self, in: "notes/1") { list.show(notes) }
    /// ```
    public func observe<Row: CachedRow>(
        _ type: Row.Type, in resource: ResourceKey? = nil, keys: KeyRange = .all, reversed: Bool = false,
        limit: Int = .max
    ) -> RowValues<Row> {
        let owner = Row.schema.resource(resource)
        return RowValues(store: store, region: .type(Row.schema.type, of: owner)) {
            try self.storedRows(type, in: owner, keys, reversed, limit)
        }
    }

    /// Returns the rows that fulfil a condition now, and again whenever they have changed; see
    /// ``observe(_:in:keys:reversed:limit:)``.
    public func observe<Row: CachedRow>(
        _ type: Row.Type, in resource: ResourceKey? = nil, where condition: SQLCondition, order: String? = nil,
        limit: Int? = nil
    ) -> RowValues<Row> {
        checkIsDeclared(type)
        let region: Region =
            switch (resource, Row.schema.scope) {
            case (let key?, _), (nil, .resource(let key)): .resource(Row.schema.resource(key))
            case (nil, .group(let group)): .group(group)
            }
        return RowValues(store: store, region: region) { try self.found(type, in: resource, condition, order, limit) }
    }
}

/// The rows of an observation, each value as of one commit. See ``ContentCache/observe(_:in:keys:reversed:limit:)``.
///
/// ```swift
/// for try await notes in cache.observe(Note.self, limit: 20) {  // now, and after every change
///     for note in notes { print(note.text, cache.isPending(note) ? "↑" : "✓") }
/// }
/// ```
public struct RowValues<Row: CachedRow>: AsyncSequence, Sendable {
    let store: Store
    let region: Region
    let read: @Sendable () throws -> [EncodedRow]

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observed: self, changes: store.changes().makeAsyncIterator())
    }

    /// The position of one observer.
    public struct Iterator: AsyncIteratorProtocol {
        let observed: RowValues
        var changes: StoreChanges.Iterator
        /// The last value, with the keys of the rows whose local write the server lacks; nil before the first.
        var last: (rows: [EncodedRow], pending: Set<RowKey>)?

        /// Returns the newest rows, after waiting for a change unless they are the first; nil at the end.
        ///
        /// - Throws: As ``ContentCache/rows(_:in:keys:reversed:limit:)``.
        public mutating func next() async throws -> [Row]? {
            while true {
                if last != nil, await !waitForChange() { return nil }
                if Task.isCancelled { return nil }
                do {
                    let value = try stored()
                    if let last, last == value { continue }
                    last = value
                    return try RowDecoder<Row>().rows(value.rows)
                } catch EngineError.closed {
                    return nil
                }
            }
        }

        /// Returns the rows now; ``next()`` then waits for another value.
        ///
        /// - Throws: As ``next()``; ``EngineError/closed``.
        package mutating func current() throws -> [Row] {
            let value = try stored()
            last = value
            return try RowDecoder<Row>().rows(value.rows)
        }

        private func stored() throws -> (rows: [EncodedRow], pending: Set<RowKey>) {
            try observed.store.read { view in
                let rows = try observed.read()  // in the same view
                return (rows, try Self.pending(rows, view))
            }
        }

        /// Waits for a commit that may change the value; returns false at the end.
        private mutating func waitForChange() async -> Bool {
            while let change = await changes.next() {
                if observed.region.intersects(change) || (Self.isLocal && Region.outbox.intersects(change)) {
                    return true
                }
            }
            return false
        }

        private static var isLocal: Bool { Row.self is any LocalRow.Type }

        private static func pending(_ rows: [EncodedRow], _ view: borrowing ReadView) throws -> Set<RowKey> {
            guard isLocal else { return [] }
            var keys: Set<RowKey> = []
            for owner in Set(rows.map(\.key.resource)) {
                for overlay in try view.overlays(of: owner) where !overlay.isConfirmed { keys.insert(overlay.key) }
            }
            return keys.intersection(rows.map(\.key))
        }
    }
}
