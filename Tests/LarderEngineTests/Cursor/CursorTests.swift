// Proves that a cursor moves, removes ranges and reports damage instead of the end.

import Foundation
import LarderEngine
import Testing

@Suite struct `A cursor` {
    private let zero: [UInt8] = [0]
    private let five: [UInt8] = [5]
    private let six: [UInt8] = [6]

    @Test func `has no position until it is moved, and no entry in an empty table`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        for (name, isEmpty) in [("one", false), ("two", true)] {
            let table = environment.table(name)
            if !isEmpty { try environment.set([5], [1], in: name) }
            try environment.read { view in
                try view.withCursor(in: table) { cursor in
                    let current = try cursor.current() == nil
                    #expect(current)
                    let before = unsafe try cursor.seek(before: five.span.bytes) == nil
                    #expect(before)
                    let after = unsafe try cursor.seek(six.span.bytes) == nil
                    #expect(after)
                    let first = try cursor.first() == nil
                    #expect(first == isEmpty)
                    let last = try cursor.last() == nil
                    #expect(last == isEmpty)
                    let next = try cursor.next() == nil
                    #expect(next)
                }
            }
        }
        try environment.close()
    }

    /// Pitfall P39: a cursor that outlives its transaction is freed twice.
    @Test func `is closed before its transaction ends, many at a time`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let (one, two) = (environment.table("one"), environment.table("two"))
        for round in 0..<50 {
            do {
                try environment.writeBlocking(durability: .relaxed) { transaction in
                    try transaction.set([UInt8(round)], [1], in: one)
                    try transaction.reader.withCursor(in: one) { outer in
                        _ = try outer.last()
                        try transaction.reader.withCursor(in: two) { inner in _ = try inner.last() }
                    }
                    _ = try transaction.withCursor(in: one) { cursor in
                        unsafe try cursor.removeWhile(from: zero.span.bytes, limit: 1) { $0.key.byteCount > 0 }
                    }
                    if round % 3 == 0 { throw CancellationError() }
                }
            } catch is CancellationError {
                continue
            }
        }
        try environment.close()
    }

    /// Pitfall P40: a removal moves the cursor on by itself.
    @Test(arguments: [1, 2, 7, 100, 5000])
    func `removes every entry of a range once and none besides`(limit: Int) throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let keys = (0..<2000).map { [UInt8($0 >> 8), UInt8($0 & 255)] }
        try environment.writeBlocking { transaction in
            for key in keys { try transaction.set(key, [UInt8](repeating: 1, count: 60), in: table) }
        }
        let (start, end) = (keys[300], 1700)
        var removed = 0
        try environment.writeBlocking(durability: .relaxed) { transaction in
            removed = 0
            while true {
                let count = try transaction.withCursor(in: table) { cursor in
                    unsafe try cursor.removeWhile(from: start.span.bytes, limit: limit) { entry in
                        let key = array(entry.key)
                        return Int(key[0]) << 8 | Int(key[1]) < end
                    }
                }
                #expect(count <= limit)
                removed += count
                if count < limit { break }
            }
        }
        #expect(removed == end - 300)
        #expect(try environment.contents().map(\.key) == Array(keys[..<300] + keys[end...]))
        let rest = try environment.writeBlocking { transaction in
            try transaction.withCursor(in: table) { cursor in
                unsafe try cursor.removeWhile(from: zero.span.bytes, limit: .max) { _ in true }
            }
        }
        #expect(rest == 600)
        #expect(try environment.contents() == [])
        try environment.close()
    }

    /// Pitfall P41: an error taken for the end of the table hides damage.
    @Test func `throws on damage, and does not call it the end`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        try environment.writeBlocking { transaction in
            for row in 0..<2000 {
                try transaction.set([UInt8(row >> 8), UInt8(row & 255)], [UInt8](repeating: 1, count: 60), in: table)
            }
        }
        try environment.close()
        var data = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
        damageSecondChild(&data)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try handle.write(contentsOf: data)
        try handle.close()

        let damaged = try Environment.open(path: directory.path, options: .small)
        var seen = 0
        let error = #expect(throws: EngineError.self) {
            try damaged.read { view in
                try view.withCursor(in: table) { cursor in while try cursor.next() != nil { seen += 1 } }
            }
        }
        guard case .damagedPage = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(seen > 0 && seen < 2000)
        #expect(throws: EngineError.self) {
            try damaged.writeBlocking { transaction in
                try transaction.withCursor(in: table) { cursor in
                    _ = unsafe try cursor.removeWhile(from: zero.span.bytes, limit: .max) { _ in true }
                }
            }
        }
        try damaged.close()
    }

    /// Makes the second entry of every branch page point behind the end of the file.
    private func damageSecondChild(_ data: inout Data) {
        for page in stride(from: 8192, to: data.count, by: 4096) where data[page + 10] == 0x01 {
            let node = page + Int(data[page + 18]) + Int(data[page + 19]) << 8
            data[node + 2] = 0xFF
        }
    }
}
