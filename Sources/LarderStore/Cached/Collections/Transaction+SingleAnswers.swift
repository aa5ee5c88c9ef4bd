internal import LarderEngine
package import LarderFormat

/// Removes the single answer of a row when the row is removed.
final class SingleAnswerRemover: RowChangeHandler {
    init(_ file: FileContext) {}

    func rowDidChange(_ row: RowChange, in transaction: inout Transaction) throws {
        if row.isRemoval { try transaction.removeSingleAnswer(at: row.key) }
    }
}

extension Transaction {
    /// Records how a row was fetched on its own: its single answer.
    ///
    /// - Parameter fetchedAt: when the server sent or confirmed it, in milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/invalid(_:)`` for a row or validators beyond the limits; ``EngineError``.
    package mutating func putSingleAnswer(at row: RowKey, validators: Validators, fetchedAt: Int64) throws {
        try Self.check(validators)
        let record = RowValidatorsRecord(
            entityTag: validators.entityTag, lastModified: validators.lastModified, fetchedAt: fetchedAt,
            generation: try rowSource(of: row.resource)?.generation)
        try putIfChanged(record.encode()) { try CollectionKey.append(validatorsOf: row, to: &$0) }
    }

    /// Removes the single answer of a row; returns false when there was none.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a row beyond the limits; ``EngineError``.
    @discardableResult
    package mutating func removeSingleAnswer(at row: RowKey) throws -> Bool {
        try removeCollectionRecord { try CollectionKey.append(validatorsOf: row, to: &$0) }
    }

    /// Removes the single answers of the rows of one type.
    ///
    /// - Throws: ``EngineError``.
    package mutating func removeSingleAnswers(ofType type: String, in resource: ResourceKey) throws {
        let prefix = CollectionKey.prefix(validatorsOf: resource, type: type)
        _ = try removeSome(of: .collections, prefix: prefix, from: prefix, bytes: .max, isTimeUp: { false })
    }
}

extension Transaction {
    /// Removes the single answers of a resource but for those of its live generation, with the garbage of another.
    ///
    /// They mean nothing after the commit that discards their generation. That commit stays small, because they are
    /// removed later.
    ///
    /// - Parameter bytes: about how many bytes of keys and values to remove; nothing when it is not positive.
    /// - Returns: whether there is more to remove.
    mutating func reclaimSingleAnswers(of owner: ResourceKey, bytes: Int64, isTimeUp: () -> Bool) throws -> Bool {
        let live: Int64?
        do {
            live = try tables.rowSource(of: owner, in: engine)?.generation
        } catch StoreError.damaged {
            // A damaged record of the owner must not keep garbage from being removed; validators are fetched again.
            live = nil
        }
        let prefix = CollectionKey.prefix(validatorsOf: owner)
        var keys: [[UInt8]] = []
        var found: Int64 = 0
        var isMore = false
        try tables.forEachRaw(.collections, prefix: prefix, in: engine) { entry in
            if let live, Self.generation(ofSingleAnswer: entry.value, key: entry.key) == live { return true }
            isMore = found >= bytes || (!keys.isEmpty && isTimeUp())
            if isMore { return false }
            keys.append([UInt8](copying: entry.key))
            found += Int64(entry.key.byteCount + entry.value.byteCount)
            return true
        }
        for key in keys { try remove(key: key, in: .collections) }
        return isMore
    }

    /// Returns the generation of a single answer; nil when it names none or is damaged.
    private static func generation(ofSingleAnswer value: RawSpan, key: RawSpan) -> Int64? {
        guard let body = try? Tables.body(of: value, key: key, table: .collections) else { return nil }
        return try? RowValidatorsRecord(decoding: body).generation
    }
}
