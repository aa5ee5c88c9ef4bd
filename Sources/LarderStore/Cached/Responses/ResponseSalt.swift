internal import LarderEngine
internal import LarderFormat

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the key with which secrets that select a response are hashed; nil when none is stored yet.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``EngineError``.
    package borrowing func responseSalt() throws -> [UInt8]? {
        let key = SaltRecord.key
        return try tables.record(key.rawSpan, .meta, in: engine, SaltRecord.init(decoding:))?.salt
    }
}

extension Transaction {
    /// Stores the key with which secrets that select a response are hashed: 16 to 64 random bytes.
    ///
    /// - Throws: ``EngineError``.
    package mutating func putResponseSalt(_ salt: [UInt8]) throws {
        precondition(SaltRecord.sizes.contains(salt.count), "a salt of \(salt.count) bytes")
        try put(body: SaltRecord(salt: salt).encode(), key: SaltRecord.key, in: .meta)
    }
}
