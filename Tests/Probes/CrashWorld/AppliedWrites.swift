// AppliedWrites: the table that a server appends the writes to which it applies.

#if Server
public import LarderServer

/// The table that a server appends the writes to which it applies.
public enum AppliedWrites {
    private static let table = "applied"

    /// Opens the server's store.
    public static func open(at path: String) throws -> LMDBIdempotencyStore {
        try LMDBIdempotencyStore.open(at: path, tables: [table], sizeCap: 256 << 20)
    }

    /// Appends a write, whether or not it was applied before: nothing here keeps it from being applied twice.
    public static func append(_ body: [UInt8], to transaction: inout ServerTransaction) throws {
        let place = UInt32(try transaction.count(of: table))
        let key = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: place >> $0) }
        try transaction.set(body, forKey: key, in: table)
    }

    /// The writes that were applied, in order.
    public static func read(from store: LMDBIdempotencyStore) throws -> [NumberedWrite] {
        try store.read { view in
            var writes: [NumberedWrite] = []
            try view.forEach(in: table) { _, body in
                guard let write = NumberedWrite(body: body) else { throw UnreadableWrite(body: body) }
                writes.append(write)
                return true
            }
            return writes
        }
    }

    /// A server holds what no writer has sent.
    public struct UnreadableWrite: Error {
        /// What it holds.
        public let body: [UInt8]
    }
}
#endif
