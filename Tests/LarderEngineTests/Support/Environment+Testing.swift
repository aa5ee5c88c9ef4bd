// Environment: shorthands for tests to read and write rows.

import LarderEngine

/// A key and its value, copied out of the store.
struct Row: Hashable, Comparable, CustomStringConvertible {
    let key: [UInt8]
    let value: [UInt8]

    static func < (left: Row, right: Row) -> Bool { left.key.lexicographicallyPrecedes(right.key) }

    var description: String { "\(key): \(value.count) bytes" }
}

extension EnvironmentOptions {
    static let small = EnvironmentOptions(tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)

    static func growing(from size: Int, to cap: Int = 1 << 30) -> EnvironmentOptions {
        EnvironmentOptions(tables: ["one", "two"], mapSize: size, mapSizeCap: cap)
    }
}

extension Environment {
    func set(_ key: [UInt8], _ value: [UInt8], durability: Durability = .full, in name: String = "one") throws {
        let table = table(name)
        try writeBlocking(durability: durability) { transaction in try transaction.set(key, value, in: table) }
    }

    func get(_ key: [UInt8], in name: String = "one") throws -> [UInt8]? {
        let table = table(name)
        return try read { view in try view.get(key, in: table) }
    }

    /// Everything in a table, in order.
    func contents(of name: String = "one") throws -> [Row] {
        let table = table(name)
        return try read { view in try view.contents(of: table) }
    }
}

extension ReadTransaction {
    func get(_ key: [UInt8], in table: Table) throws -> [UInt8]? {
        guard let value = unsafe try value(forKey: key.span.bytes, in: table) else { return nil }
        return array(value)
    }

    func contents(of table: Table) throws -> [Row] {
        try withCursor(in: table) { cursor in
            var rows: [Row] = []
            while let entry = try cursor.next() { rows.append(row(entry)) }
            return rows
        }
    }
}

extension WriteTransaction {
    mutating func set(_ key: [UInt8], _ value: [UInt8], in table: Table) throws(EngineError) {
        unsafe try set(value.span.bytes, forKey: key.span.bytes, in: table)
    }

    mutating func remove(key: [UInt8], in table: Table) throws(EngineError) -> Bool {
        unsafe try remove(key.span.bytes, in: table)
    }
}

func array(_ bytes: borrowing RawSpan) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { unsafe Array($0) }
}

func row(_ entry: borrowing Entry) -> Row {
    Row(key: array(entry.key), value: array(entry.value))
}
