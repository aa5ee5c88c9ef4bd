// GuardedStore: reads and writes of a store that may be damaged, compared with what is to be expected.

import Foundation
import LarderEngine

extension GuardedStore {
    /// Reads every row and absent keys in each way: the number of typed errors, and all wrong answers.
    func answers() -> (errors: Int, wrong: [String]) {
        let check = Check()
        check("open") {
            let environment = try Environment.open(path: path, options: Self.options(.readOnly))
            defer { try? environment.close() }
            for table in Self.tables { check.read(table, rows[table] ?? [], in: environment) }
            return nil
        }
        return (check.errors, check.wrong)
    }

    /// Makes random changes, and then reads every row of those that were made: all wrong answers.
    func answersAfterWrites(limit: UInt64, using random: inout SeededGenerator) throws -> [String] {
        let check = Check()
        var rows = rows
        let seed = random.next()
        check("open") {
            var random = SeededGenerator(seed: seed)
            let environment = try Environment.open(path: path, options: Self.options(fullCheckLimit: limit))
            defer { try? environment.close() }
            for _ in 0..<20 {
                check("change") { try self.change(&rows["deep", default: []], in: environment, using: &random) }
            }
            for table in Self.tables { check.read(table, rows[table] ?? [], in: environment) }
            return nil
        }
        return check.wrong
    }

    /// Stores, removes or replaces some rows, in a transaction; `rows` changes only where it succeeds.
    private func change(
        _ rows: inout [Row], in environment: Environment, using random: inout SeededGenerator
    ) throws -> String? {
        guard rows.count > 70 else { return nil }
        let index = Int.random(in: 0..<rows.count - 60, using: &random)
        let key = rows[index].key
        let table = environment.table("deep")
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            try environment.set(key, [9, 9], in: "deep")
            rows[index] = Row(key: key, value: [9, 9])
        case 1:
            try environment.set(key + [1], [8], in: "deep")
            rows.removeAll { $0.key == key + [1] }
            rows.insert(Row(key: key + [1], value: [8]), at: index + 1)
        case 2:
            let isFound = try environment.writeBlocking { transaction in
                try transaction.remove(key: key, in: table)
            }
            rows.remove(at: index)
            if !isFound { return "a row to remove is not found" }
        default:
            let count = try environment.writeBlocking { transaction in
                try transaction.withCursor(in: table) { cursor in
                    unsafe try cursor.removeWhile(from: key.span.bytes, limit: 50) { _ in true }
                }
            }
            rows.removeSubrange(index..<index + 50)
            if count != 50 { return "\(count) of 50 rows are removed" }
        }
        return nil
    }

    /// The offset of the page of a row in the table of three levels, in the sound file.
    func leaf(of key: [UInt8]) -> Int { way(to: key, in: "deep").leaf }

    /// The offsets of the leaf where a key would be, and of the node whose number leads to it.
    func way(to key: [UInt8], in table: String) -> (leaf: Int, node: Int) {
        // The key is in one page of the last commit, and in others of earlier ones: the tree decides.
        var node = rootPlace(of: table)
        var page = Int(u64(node)) * 4096
        while u16(page + 10) == 1 {
            node = page + u16(page + 16)
            for slot in stride(from: 18, to: u16(page + 12), by: 2) {
                let next = page + u16(page + slot)
                if key.lexicographicallyPrecedes(sound[next + 8..<next + 8 + u16(next + 6)]) { break }
                node = next
            }
            page = (u16(node) | u16(node + 2) << 16) * 4096
        }
        return (page, node)
    }
}

/// Collects the answers of reads.
private final class Check {
    private(set) var errors = 0
    private(set) var wrong: [String] = []

    /// Runs a read, which returns what is wrong.
    func callAsFunction(_ name: String, _ body: () throws -> String?) {
        do {
            if let problem = try body() { wrong.append("\(name): \(problem)") }
        } catch is EngineError {
            errors += 1
        } catch {
            wrong.append("\(name): \(error)")
        }
    }

    func read(_ name: String, _ rows: [Row], in environment: Environment) {
        let table = environment.table(name)
        self("view") {
            try environment.read { view in
                for (index, row) in rows.enumerated() {
                    self("\(name) \(index)") { self.problem(try view.get(row.key, in: table), row) }
                    self("\(name) behind \(index)") {
                        try view.get(row.key + [0], in: table) == nil ? nil : "an absent key is found"
                    }
                    self("\(name) at or after \(index)") { try self.seek(row.key, rows, index, view, table) }
                    self("\(name) after \(index)") { try self.seek(row.key + [0], rows, index + 1, view, table) }
                    self("\(name) before \(index)") { try self.seekBefore(row.key, rows, index - 1, view, table) }
                }
                for isForward in [true, false] {
                    self("\(name), all, \(isForward)") { try self.scan(rows, isForward, view, table) }
                }
            }
            return nil
        }
    }

    /// A value of another content is an error of its reader, which has a checksum; the value of an earlier round, or
    /// none, is wrong.
    private func problem(_ value: [UInt8]?, _ row: Row) -> String? {
        guard let value else { return "absent" }
        if value == row.value { return nil }
        if value.count != row.value.count || value.dropFirst() != row.value.dropFirst() {
            errors += 1
            return nil
        }
        return "an old value"
    }

    private func problem(_ found: Row?, _ rows: [Row], _ index: Int) -> String? {
        guard rows.indices.contains(index) else { return found == nil ? nil : "one row too many" }
        guard let found else { return "nothing" }
        return found.key == rows[index].key ? problem(found.value, rows[index]) : "another row"
    }

    private func seek(
        _ key: [UInt8], _ rows: [Row], _ index: Int, _ view: ReadTransaction, _ table: Table
    ) throws -> String? {
        try view.withCursor(in: table) { cursor in
            problem(copy(unsafe try cursor.seek(key.span.bytes)), rows, index)
        }
    }

    private func seekBefore(
        _ key: [UInt8], _ rows: [Row], _ index: Int, _ view: ReadTransaction, _ table: Table
    ) throws -> String? {
        try view.withCursor(in: table) { cursor in
            problem(copy(unsafe try cursor.seek(before: key.span.bytes)), rows, index)
        }
    }

    private func scan(
        _ rows: [Row], _ isForward: Bool, _ view: ReadTransaction, _ table: Table
    ) throws -> String? {
        try view.withCursor(in: table) { cursor in
            for step in 0...rows.count {
                let found = isForward ? copy(try cursor.next()) : copy(try cursor.previous())
                let index = isForward ? step : rows.count - 1 - step
                if let problem = problem(found, rows, index) { return "\(problem) at \(step)" }
            }
            return nil
        }
    }

    private func copy(_ entry: consuming Entry?) -> Row? {
        guard let entry else { return nil }
        return row(entry)
    }
}
