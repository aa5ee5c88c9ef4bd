// KeyValuePeer: the calls that RocksDB and LevelDB have in common.

/// A store of keys and values that are bytes, in the order of the keys.
protocol KeyValuePeer: AnyObject {
    /// Its name in the report.
    static var name: String { get }

    /// Opens a new store in a directory that exists.
    init(path: String) throws

    /// Writes the records that `body` adds, in one synced write.
    func write(_ body: (_ add: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) throws -> Void)
        throws

    /// Lends the value under a key to `body`. Verifies its checksum.
    func get(_ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) throws

    /// Lends every value to `body`, in the order of the keys.
    func scan(verified: Bool, _ body: (UnsafeRawBufferPointer) -> Void) throws

    /// Brings its files into the form in which reads are fastest.
    func compact()
}

/// Throws the message that a call of RocksDB or LevelDB has left.
func checkMessage(_ message: UnsafeMutablePointer<CChar>?) throws {
    if let message { throw PeerError.message(String(cString: message)) }
}

extension KeyValuePeer {
    /// Writes rows as the records that LMDB gets, in synced writes of about `batch` bytes.
    func load(_ rows: TranslationRows, batch: Int) throws {
        var row = 0
        while row < rows.count {
            try write { add in
                var pending = 0
                while row < rows.count, pending < batch {
                    RawLMDB.withRecord(rows, row) { key, value in
                        add(key, value)
                        pending += key.count + value.count
                    }
                    row += 1
                }
            }
        }
    }

    func count() throws -> Int {
        var count = 0
        try scan(verified: false) { _ in count += 1 }
        return count
    }
}
