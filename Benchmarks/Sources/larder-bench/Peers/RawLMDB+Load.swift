// RawLMDB+Load: loads the rows of a translation through LMDB's C calls.

import CRawLMDB

extension RawLMDB {
    /// Bytes of a Larder key before the number, and of a Larder value before the payload.
    private static let keyPrefix = 15
    private static let valuePrefix = 20

    /// Appends `rows` with keys and values as long as Larder's; one commit, or one per `batch` bytes.
    func append(_ rows: TranslationRows, batch: Int = .max) throws {
        var transaction = try beginWrite()
        var pending = 0
        for row in 0..<rows.count {
            try put(rows, row, transaction, flags: UInt32(MDB_APPEND))
            pending += Self.keyPrefix + 4 + Self.valuePrefix + rows.payload(row).count
            if pending >= batch {
                try Self.check(mdb_txn_commit(transaction))
                transaction = try beginWrite()
                pending = 0
            }
        }
        try Self.check(mdb_txn_commit(transaction))
    }

    /// Puts one row.
    func put(_ rows: TranslationRows, _ row: Int, _ transaction: OpaquePointer, flags: UInt32 = 0) throws {
        try Self.withRecord(rows, row) { key, value in try put(value, key, transaction, flags: flags) }
    }

    /// Lends the record of a row: a key and a value as long as Larder's, with the payload at the end of the value.
    static func withRecord(
        _ rows: TranslationRows, _ row: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        let payload = rows.payload(row)
        try withUnsafeTemporaryAllocation(byteCount: valuePrefix + payload.count, alignment: 8) { value in
            value.initializeMemory(as: UInt8.self, repeating: 0)
            payload.withUnsafeBytes { value[valuePrefix...].copyBytes(from: $0) }
            try withUnsafeTemporaryAllocation(byteCount: keyPrefix + 4, alignment: 8) { key in
                key.initializeMemory(as: UInt8.self, repeating: 0x61)
                key.storeBytes(of: UInt32(row).bigEndian, toByteOffset: keyPrefix, as: UInt32.self)
                try body(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(value))
            }
        }
    }
}
