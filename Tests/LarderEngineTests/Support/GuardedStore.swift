// GuardedStore: a cleanly closed store with deep trees, of which a test changes one bit.

import Foundation
import LarderEngine

/// A cleanly closed store with a table of three levels, one of two, two of one page each, large values, pages with
/// earlier versions of rows and a list of free pages.
final class GuardedStore {
    /// A byte that liblmdb trusts.
    struct Place {
        let offset: Int
        let kind: Kind
    }

    enum Kind { case header, slot, node, separator, largeValue, tableName, table }

    static let tables = ["deep", "flat", "one", "two"]

    private let directory = TemporaryDirectory()
    /// The bytes of the file at the clean close.
    let sound: [UInt8]
    private let guardRecord: Data
    /// The rows by table.
    let rows: [String: [Row]]

    var path: String { directory.path }

    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let environment = try Environment.open(path: directory.path, options: Self.options())
        var rows: [String: [[UInt8]: [UInt8]]] = [:]
        for round in 0..<4 as Range<UInt8> {
            for (table, count) in [("deep", 420), ("flat", 60), ("one", 4), ("two", 4)] {
                try environment.writeBlocking { transaction in
                    for row in 0..<count where round == 0 || (row + Int(round)) % 5 == 0 {
                        let key = Self.key(row)
                        let size = row % 59 == 0 ? 9000 : Int.random(in: 20..<80, using: &random)
                        let value = [round] + [UInt8](repeating: UInt8(truncatingIfNeeded: row), count: size)
                        try transaction.set(key, value, in: environment.table(table))
                        rows[table, default: [:]][key] = value
                    }
                }
            }
        }
        try environment.writeBlocking { transaction in
            for row in 100..<130 {
                _ = try transaction.remove(key: Self.key(row), in: environment.table("deep"))
                rows["deep"]?[Self.key(row)] = nil
            }
        }
        try environment.close()
        self.rows = rows.mapValues { $0.map { Row(key: $0, value: $1) }.sorted() }
        sound = Array(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")))
        guardRecord = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/guard.lock"))
    }

    /// Long keys make deep trees of few rows.
    static func key(_ row: Int) -> [UInt8] {
        let number = String((row * 7919) % 100_000 + 100_000)
        return bytes(number + String(repeating: "abcdefg", count: 30 + row % 20))
    }

    static func options(
        _ access: EnvironmentOptions.Access = .readWrite, fullCheckLimit: UInt64 = 64 << 20
    ) -> EnvironmentOptions {
        var options = EnvironmentOptions(access: access, tables: tables, mapSize: 1 << 30, mapSizeCap: 1 << 30)
        options.fullCheckLimit = fullCheckLimit
        return options
    }

    /// Runs `body` while a bit of the file is another; afterwards the file is that of the clean close again.
    func flipping(_ mask: UInt8, at offset: Int, _ body: () throws -> Void) throws {
        try changing({ $0[offset] ^= mask }, body)
    }

    /// Runs `body` while bytes of the file are others; afterwards the file is that of the clean close again.
    func changing(_ change: (inout [UInt8]) -> Void, _ body: () throws -> Void) throws {
        var changed = sound
        change(&changed)
        try write(changed)
        defer { try? write(sound) }
        try body()
    }

    /// Writes the file in place, as that of the clean close.
    private func write(_ content: [UInt8]) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/data.mdb"))
        try file.write(contentsOf: content)
        try file.truncate(atOffset: UInt64(content.count))
        try file.close()
        try guardRecord.write(to: URL(fileURLWithPath: path + "/guard.lock"))
    }

    func u16(_ offset: Int) -> Int { Int(sound[offset]) | Int(sound[offset + 1]) << 8 }

    func u64(_ offset: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(sound[offset + $1]) << UInt64(8 * $1) } }
}

extension GuardedStore {
    /// The offset of the number of a table's root in the list of tables.
    func rootPlace(of table: String) -> Int {
        let meta = u64(144) > u64(4096 + 144) ? 0 : 4096
        let list = Int(u64(meta + 88 + 40)) * 4096
        for slot in stride(from: 16, to: u16(list + 12), by: 2) {
            let node = list + u16(list + slot)
            let value = node + 8 + u16(node + 6)
            if sound[node + 8..<value].elementsEqual(table.utf8) { return value + 40 }
        }
        return 0
    }

    /// The places of numbers of leaves of the table of three levels, each with the number of a free page whose keys fit
    /// the place, and a key on it.
    var earlierVersions: [(place: Int, number: [UInt8], key: [UInt8])] {
        let leaves = Set((rows["deep"] ?? []).map { leaf(of: $0.key) / 4096 })
        let all = (2..<sound.count / 4096).filter { u64($0 * 4096) == UInt64($0) }
        var versions: [(place: Int, number: [UInt8], key: [UInt8])] = []
        for branch in all where u16(branch * 4096 + 10) == 1 {
            let page = branch * 4096
            let nodes = stride(from: 16, to: u16(page + 12), by: 2).map { page + u16(page + $0) }
            for (node, next) in zip(nodes.dropFirst(), nodes.dropFirst(2))
            where leaves.contains(u16(node) | u16(node + 2) << 16) {
                let (low, high) = (key(at: node), key(at: next))
                for old in all where u16(old * 4096 + 10) == 2 && !leaves.contains(old) {
                    let first = key(at: old * 4096 + u16(old * 4096 + 16))
                    let last = key(at: old * 4096 + u16(old * 4096 + u16(old * 4096 + 12) - 2))
                    if first.lexicographicallyPrecedes(low) || !last.lexicographicallyPrecedes(high) { continue }
                    versions.append((node, (0..<4).map { UInt8(truncatingIfNeeded: old >> (8 * $0)) }, first))
                }
            }
        }
        // Branch pages of earlier commits name sound leaves as well.
        return versions.filter { isUsed($0.place / 4096) }
    }

    private func key(at node: Int) -> [UInt8] { Array(sound[node + 8..<node + 8 + u16(node + 6)]) }

    /// Whether the table of three levels leads to a branch page.
    private func isUsed(_ branch: Int) -> Bool {
        let root = Int(u64(rootPlace(of: "deep")))
        if branch == root { return true }
        return stride(from: root * 4096 + 16, to: root * 4096 + u16(root * 4096 + 12), by: 2).contains { slot in
            let node = root * 4096 + u16(slot)
            return u16(node) | u16(node + 2) << 16 == branch
        }
    }

    /// The bytes of the list of tables and of the tables that liblmdb trusts. Not among them are keys and values of
    /// rows, which have a checksum, and with them the last bit of the size of a key, which may be that of the value
    /// before.
    var trusted: [Place] {
        let meta = u64(144) > u64(4096 + 144) ? 0 : 4096
        var places: [Place] = []
        func add(_ range: Range<Int>, _ kind: Kind) { places += range.map { Place(offset: $0, kind: kind) } }
        func visit(_ root: UInt64) {
            guard root != .max else { return }
            let page = Int(root) * 4096
            let isLeaf = u16(page + 10) == 2
            add(page..<page + 8, .header)
            add(page + 10..<page + 16, .header)
            for slot in stride(from: 16, to: u16(page + 12), by: 2) {
                let node = page + u16(page + slot)
                let value = node + 8 + u16(node + 6)
                add(page + slot..<page + slot + 2, .slot)
                add(node..<node + (isLeaf ? 6 : 8), .node)
                if isLeaf { add(node + 7..<node + 8, .node) }
                if !isLeaf {
                    if slot > 16 { add(node + 8..<value, .separator) }
                    visit(UInt64(u16(node)) | UInt64(u16(node + 2)) << 16 | UInt64(u16(node + 4)) << 32)
                } else if u16(node + 4) == 2 {
                    add(node + 8..<value, .tableName)
                    add(value + 4..<value + 8, .table)
                    add(value + 40..<value + 48, .table)
                    visit(u64(value + 40))
                } else if u16(node + 4) == 1 {
                    let large = Int(u64(value)) * 4096
                    add(value..<value + 8, .largeValue)
                    add(large..<large + 8, .largeValue)
                    add(large + 10..<large + 16, .largeValue)
                }
            }
        }
        visit(u64(meta + 88 + 40))
        return places
    }
}
