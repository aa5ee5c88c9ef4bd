// Proves for a store with any damage: a salvage ends with a typed error or with a store that a check finds nothing in,
// and every row and write of that store is one that the damaged store had.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore

enum FuzzTarget {
    /// Runs of edits, as ``DamagedFile/apply(_:)`` reads them.
    static let seeds: [[UInt8]] =
        [
            [], [1, 2, 12, 0, 40, 0], [4, 5, 0, 0, 6, 0], [0, 5, 16, 0, 0, 15, 2, 6, 200, 1, 3, 0], [5, 9, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        ] + (0..<32).map { [0, $0, 0, 8, 1, 255, 6, $0, 0, 0, 255, 8] }

    private static let directory = StoreDirectory()
    private static let damaged = DamagedFile(makeSample())

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        let isDamaged = !input.isAtEnd
        damaged.apply(&input)
        defer { damaged.restore() }
        let (old, new) = (directory.clear("damaged"), directory.clear("saved"))
        guard unsafe mkdir(old, 0o700) == 0,
            FileManager.default.createFile(atPath: old + "/data.mdb", contents: Data(damaged.file.bytes))
        else { fatalError("no store is made") }
        guard let report = typed({ try Store.salvage(at: old, to: new, host: .fuzz) }) else {
            require(isDamaged, "an undamaged store is not saved")
            return
        }
        do {
            let store = try Store.open(at: new, host: .fuzz)
            let findings = try store.findings()
            require(findings.isEmpty && report.findings == 0, "the new store is not sound: \(findings)")
            let count = try checkRows(store)
            require(isDamaged || count == SampleContent.rows.count, "\(count) rows of an undamaged store are saved")
            try checkWrites(store, report)
            try store.close()
        } catch {
            fatalError("the new store cannot be used: \(error)")
        }
    }

    private static func checkRows(_ store: Store) throws -> Int {
        try store.read { view in
            try view.forEachRow(in: .all(of: SampleContent.resource)) { entry in
                let key = try entry.key().key
                let payload = [UInt8](copying: entry.row.payload)
                let expected = isSelfTest && key == "7" ? [] : SampleContent.rows[key]
                require(expected == payload, "the row \(key) has another content: \(payload)")
            }
        }
    }

    private static func checkWrites(_ store: Store, _ report: SalvageReport) throws {
        for entry in try store.read({ view in try view.outboxEntries() }) {
            guard let index = SampleContent.writes.firstIndex(of: entry.id) else { fatalError("\(entry) is not known") }
            require(entry.payload == SampleContent.payload(ofWrite: index + 1), "a write has another content")
            require(!report.lostWrites.contains(entry.id), "a write is both lost and saved")
        }
    }

    private static func makeSample() -> [UInt8] {
        let path = directory.clear("sample")
        do {
            let store = try Store.open(at: path, host: .fuzz)
            try SampleContent.fill(store)
            try store.close()
            return Array(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")))
        } catch {
            fatalError("no sample is made: \(error)")
        }
    }
}

func isTyped(_ error: any Error) -> Bool {
    error is StoreError || error is FormatError || (error as? EngineError).map { $0.isOfStore } ?? false
}

extension EngineError {
    /// Whether the error describes the file, not the machine.
    fileprivate var isOfStore: Bool {
        switch self {
        case .notADatabase, .foreignDatabase: true
        default: isOfStoredBytes
        }
    }
}
