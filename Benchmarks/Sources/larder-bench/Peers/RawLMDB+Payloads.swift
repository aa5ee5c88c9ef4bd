// RawLMDB+Payloads: appends payloads of snapshots through LMDB's C calls.

import CRawLMDB

extension RawLMDB {
    /// Appends the payloads of snapshots with keys and values as long as Larder's; one commit for each, or one per
    /// `batch` bytes.
    func append(_ snapshots: [SnapshotBody], batch: Int = .max) throws {
        var key = [UInt8](repeating: 0x61, count: 19)
        var value = [UInt8](repeating: 0, count: 20)
        for snapshot in snapshots {
            var transaction = try beginWrite()
            var pending = 0
            key.withUnsafeMutableBytes {
                $0.storeBytes(of: UInt64(snapshot.number).bigEndian, toByteOffset: 7, as: UInt64.self)
            }
            for (row, payload) in snapshot.payloads.enumerated() {
                key.withUnsafeMutableBytes {
                    $0.storeBytes(of: UInt32(row).bigEndian, toByteOffset: 15, as: UInt32.self)
                }
                value.removeLast(value.count - 20)
                value += snapshot.bytes[payload]
                try value.withUnsafeBytes { value in
                    try key.withUnsafeBytes { try put(value, $0, transaction, flags: UInt32(MDB_APPEND)) }
                }
                pending += key.count + value.count
                if pending >= batch {
                    try Self.check(mdb_txn_commit(transaction))
                    transaction = try beginWrite()
                    pending = 0
                }
            }
            try Self.check(mdb_txn_commit(transaction))
        }
    }
}
