internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the collection with the name `name`, or nil. All parts of the name are compared byte for byte.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)`` for a name beyond the limits.
    public borrowing func collection(_ name: CollectionName) throws -> StoredCollection? {
        try tables.collection(name, in: engine).map { StoredCollection(number: $0.number, record: $0.record) }
    }

    /// Returns how a row was fetched on its own, or nil when that is unknown of the rows that are live now.
    ///
    /// The result means nothing unless the row is stored.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a row beyond the limits.
    public borrowing func singleAnswer(at row: RowKey) throws -> SingleAnswer? {
        let record = try tables.record(.collections, in: engine, as: RowValidatorsRecord.self) {
            try CollectionKey.append(validatorsOf: row, to: &$0)
        }
        guard let record, record.generation == (try tables.rowSource(of: row.resource, in: engine)?.generation) else {
            return nil
        }
        return SingleAnswer(
            validators: Validators(entityTag: record.entityTag, lastModified: record.lastModified),
            fetchedAt: record.fetchedAt)
    }
}

extension ReadView {
    /// Returns the collections of a class, or all, in the order of their queries, those fetched through references
    /// included.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a class name beyond the limits.
    public borrowing func collections(ofClass className: String? = nil) throws -> [StoredCollection] {
        try tables.collections(try tables.collectionNumbers(ofClass: className, in: transaction), in: transaction)
    }

    /// Returns the collections that hold a row, whether it is stored or not.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a row beyond the limits.
    /// - Complexity: one range of keys, and one lookup for each collection.
    public borrowing func collections(holding row: RowKey) throws -> [StoredCollection] {
        try tables.collections(try tables.collectionNumbers(holding: row, in: transaction), in: transaction)
    }

    /// Returns the keys of the rows that a collection holds, in its order, stored or not.
    ///
    /// The result is empty when the collection is not in this read view.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    public borrowing func rowKeys(of collection: StoredCollection) throws -> [RowKey] {
        guard let record = try tables.collection(number: collection.number, in: transaction) else { return [] }
        shared.part(CollectionReads.self).uses.insert(collection.number)
        return try tables.rowKeys(ofCollection: collection.number, record, in: transaction)
    }
}
