// FlipBase: the store whose bytes are flipped.

import LarderEngine
import LarderFormat
import LarderStore

/// The store whose bytes are flipped, and what it answers.
struct FlipBase {
    let data: [UInt8]
    let map: PageMap
    /// The record of a clean close, for other inodes, and where those of its files stood.
    private let guardRecord: [UInt8]
    private let inode: UInt64
    let rows: [(key: RowKey, payload: [UInt8])]
    let lists: [(resource: ResourceKey, rows: [StoredRow])]
    let dump: UInt64

    /// Reads the store of a directory that `prepare` made.
    ///
    /// - Parameter expectsAnother: whether a value is expected that the store does not have.
    init(_ path: String, expectsAnother: Bool) throws {
        data = try Files.read(path + "/data.mdb")
        guardRecord = try Files.read(path + "/guard.lock")
        inode = Files.identity(path + "/data.mdb")?.inode ?? 0
        map = PageMap(data)
        let copy = path + "-copy"
        try Files.copy(path, to: copy)
        defer { Files.remove(copy) }
        // Stepped, so that the process has no second thread when it forks.
        var options = StoreOptions(access: .readWriteExisting)
        options.isStepped = true
        let store = try Store.open(at: copy, options: options, host: .repeating())
        var rows: [(key: RowKey, payload: [UInt8])]
        (rows, lists, dump) = try store.read { view in
            var rows: [(RowKey, [UInt8])] = []
            var lists: [(ResourceKey, [StoredRow])] = []
            for resource in Player.resources {
                let found = try view.rows(in: .all(of: resource))
                lists.append((resource, found))
                for row in found where rows.count < 40 || row.key.key.count.isMultiple(of: 2) {
                    rows.append((row.key, row.payload))
                }
            }
            return (rows, lists, try Self.dump(view))
        }
        try store.close()
        if expectsAnother { rows[0].payload.append(0) }
        self.rows = rows
    }

    /// The hash of a dump.
    static func dump(_ view: borrowing ReadView) throws -> UInt64 {
        var hash: UInt64 = 0
        var writer = DumpWriter { hash = $0.rawSpan.xxh64(seed: hash) }
        try writer.write(view, redact: false) { _, _ in }
        return hash
    }

    /// Makes a store of `bytes` at `path`, closed cleanly or not.
    func write(_ bytes: [UInt8], to path: String, isClean: Bool) throws {
        Files.remove(path)
        Files.makeDirectory(path)
        try Files.write(bytes, to: path + "/data.mdb")
        guard let identity = Files.identity(path + "/data.mdb") else { throw ToolFailure("\(path) is gone") }
        var record = GuardBytes.moved(guardRecord, [inode: identity.inode], identity.device)
        if !isClean { record = GuardBytes.inUse(record) }
        try Files.write(record, to: path + "/guard.lock")
    }
}
