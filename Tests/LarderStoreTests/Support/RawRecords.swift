// RawRecords: reads and replaces records below the store's API.

import LarderFormat
import LarderStore

@testable import LarderEngine

/// One record as LMDB holds it.
struct RawRecord: Hashable {
    var table: TableName
    var key: [UInt8]
    var value: [UInt8]
}

/// The same environment that a store opened with the default options uses, below the store.
final class RawStore {
    private let environment: Environment

    init(_ path: String) throws {
        environment = try Environment.open(
            path: path, options: EnvironmentOptions(tables: TableName.allCases.map(\.rawValue)))
    }

    func close() throws { try environment.close() }

    /// Whether the last commit skipped the sync of its meta page. Asked while nobody writes.
    var isRelaxed: Bool { environment.isRelaxed }

    /// Every record of every table.
    func records() throws -> [RawRecord] {
        try environment.read { view in
            var records: [RawRecord] = []
            for name in TableName.allCases {
                try view.withCursor(in: environment.table(name.rawValue)) { cursor in
                    while let entry = try cursor.next() {
                        records.append(
                            RawRecord(
                                table: name, key: [UInt8](copying: entry.key), value: [UInt8](copying: entry.value)))
                    }
                }
            }
            return records
        }
    }

    /// Takes records out and puts others in, in one commit.
    func replace(_ old: [RawRecord], by new: [RawRecord]) throws {
        try environment.writeBlocking(durability: .relaxed) { transaction in
            for record in old {
                try transaction.remove(record.key.rawSpan, in: environment.table(record.table.rawValue))
            }
            for record in new {
                try transaction.set(
                    record.value.rawSpan, forKey: record.key.rawSpan, in: environment.table(record.table.rawValue))
            }
        }
    }
}

extension RawRecord {
    /// The record with a body sealed anew, as somebody who writes wrong things, but knows how, would.
    func resealed(_ body: [UInt8], key: [UInt8]? = nil) -> RawRecord {
        let key = key ?? self.key
        return RawRecord(
            table: table, key: key, value: Record.seal(body: body.rawSpan, key: key.rawSpan, seed: table.seed))
    }

    /// What the key says of a record of `overlay`; nil for one that says nothing.
    var overlayPlace: (row: RowKey, sequence: Int64?)? { try? OverlayKey.decode(key.rawSpan) }

    /// The body, unverified.
    var body: [UInt8] { Array(value.dropFirst(RecordHeader.size)) }
}
