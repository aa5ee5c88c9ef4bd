internal import LarderEngine
public import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The collection known by `name`, or nil. Every part of the name has to be the same, byte for byte.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)`` for a name beyond the limits.
    public borrowing func collection(_ name: CollectionName) throws -> StoredCollection? {
        try tables.collection(name, in: engine).map { StoredCollection(number: $0.number, record: $0.record) }
    }

    /// How a row was fetched by itself, or nil when that is not known of the rows that are live now; means nothing unless
    /// the row is stored.
    public borrowing func singleAnswer(at row: RowKey) throws -> SingleAnswer? {
        let record = try tables.record(.collections, in: engine, as: SingleAnswerRecord.self) {
            try CollectionKey.append(single: row, to: &$0)
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
    /// The collections of a class, in the order of their queries, those fetched through references among them; or all.
    public borrowing func collections(ofClass className: String? = nil) throws -> [StoredCollection] {
        try tables.collections(try tables.collectionNumbers(ofClass: className, in: transaction), in: transaction)
    }

    /// The collections that hold a row, whether it is stored or not.
    ///
    /// - Complexity: one range of keys, and one lookup for each collection.
    public borrowing func collections(holding row: RowKey) throws -> [StoredCollection] {
        try tables.collections(try tables.collectionNumbers(holding: row, in: transaction), in: transaction)
    }

    /// The names of the rows that a collection of this snapshot holds, in its order; stored or not.
    ///
    /// Empty when the collection is not in this snapshot.
    public borrowing func rowKeys(of collection: StoredCollection) throws -> [RowKey] {
        guard let record = try tables.collection(number: collection.number, in: transaction) else { return [] }
        shared.part(CollectionReads.self).uses.note(collection.number)
        return try tables.rowKeys(ofCollection: collection.number, record, in: transaction)
    }
}
