// Proves that writes run on one thread, change nothing when they throw, and report the first cause.

import Foundation
import LarderEngine
import Testing

@Suite struct `A write` {
    private struct Refusal: Error {}

    /// Pitfall P19: a transaction belongs to the thread that began it.
    @Test func `runs on one thread, whatever the caller`() async throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let count = 2000
        let threads = try await withThrowingTaskGroup(of: UInt.self) { group in
            for number in 0..<count {
                group.addTask {
                    try environment.writeBlocking(durability: .relaxed) { transaction in
                        try transaction.set([UInt8(number >> 8), UInt8(number & 255)], [1], in: table)
                        return UInt(pthread_self())
                    }
                }
            }
            return try await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        #expect(threads.count == 1)
        #expect(try environment.contents().count == count)
        try environment.close()
    }

    /// Pitfall P20: a thread that leaves inside a write transaction stops the environment.
    @Test func `that throws changes nothing and lets the next one in`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        try environment.set([1], [1])
        for point in 0..<5 {
            #expect(throws: Refusal.self) {
                let first: [UInt8] = [1]
                try environment.writeBlocking { transaction in
                    if point == 0 { throw Refusal() }
                    try transaction.set([1], [2], in: table)
                    if point == 1 { throw Refusal() }
                    try transaction.reader.withCursor(in: table) { cursor in
                        _ = try cursor.first()
                        if point == 2 { throw Refusal() }
                    }
                    _ = try transaction.withCursor(in: table) { cursor in
                        unsafe try cursor.removeWhile(from: first.span.bytes, limit: 9) { _ in
                            if point == 3 { throw Refusal() }
                            return true
                        }
                    }
                    throw Refusal()
                }
            }
            #expect(try environment.get([1]) == [1])
            try environment.set([2], [UInt8(point)])
        }
        try environment.close()
    }

    /// Pitfall P21: a failed change spoils its transaction, and LMDB's answer to the commit hides why.
    @Test func `reports the first cause, also when the closure hides it`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .growing(from: 256 << 10, to: 256 << 10))
        let table = environment.table("one")
        let value = [UInt8](repeating: 1, count: 3000)
        #expect(throws: EngineError.mapFull(cap: 256 << 10)) {
            try environment.writeBlocking { transaction in
                for number in 0..<255 { try? transaction.set([UInt8(number)], value, in: table) }
            }
        }
        #expect(throws: EngineError.mapFull(cap: 256 << 10)) {
            try environment.writeBlocking { transaction in
                for number in 0..<255 {
                    do { try transaction.set([UInt8(number)], value, in: table) } catch { throw Refusal() }
                }
            }
        }
        #expect(try environment.contents() == [])
        try environment.close()
    }

    @Test func `refuses a value that is too large, and continues`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let value = [UInt8](repeating: 1, count: valueSizeLimit + 1)
        try environment.writeBlocking { transaction in
            #expect(throws: EngineError.valueSize(actual: valueSizeLimit + 1, limit: valueSizeLimit)) {
                try transaction.set([1], value, in: table)
            }
            try transaction.set([2], Array(value.dropLast()), in: table)
        }
        #expect(try environment.contents().map(\.key) == [[2]])
        try environment.close()
    }

    /// Pitfall P42: an append out of order changes nothing and spoils nothing.
    @Test func `appends in order only`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let answers = try environment.writeBlocking { transaction in
            var answers: [Bool] = []
            for key in [[1], [3], [2], [3], [4]] as [[UInt8]] {
                answers.append(unsafe try transaction.append(key.span.bytes, forKey: key.span.bytes, in: table))
            }
            return answers
        }
        #expect(answers == [true, true, false, false, true])
        #expect(try environment.contents().map(\.key) == [[1], [3], [4]])
        try environment.close()
    }

    /// Pitfall P33: handles opened apart from one another, closed or dropped, come to mean another table.
    @Test func `finds its tables under the same handles, whatever becomes of transactions`() throws {
        let directory = TemporaryDirectory()
        let names = (0..<16).map { "table \($0)" }
        let options = EnvironmentOptions(tables: names, mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let environment = try Environment.open(path: directory.path, options: options)
        for (number, name) in names.enumerated() {
            #expect(throws: Refusal.self) {
                let table = environment.table(name)
                try environment.writeBlocking { transaction in
                    try transaction.set([9], [9], in: table)
                    throw Refusal()
                }
            }
            try environment.set([1], [UInt8(number)], in: name)
        }
        for (number, name) in names.enumerated() {
            #expect(try environment.contents(of: name) == [Row(key: [1], value: [UInt8(number)])])
        }
        try environment.close()
        let reversed = EnvironmentOptions(tables: names.reversed(), mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let reopened = try Environment.open(path: directory.path, options: reversed)
        for (number, name) in names.enumerated() { #expect(try reopened.get([1], in: name) == [UInt8(number)]) }
        try reopened.close()
    }

    @Test func `without a change commits nothing`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let before = try environment.info().lastCommit
        let isRemoved = try environment.writeBlocking { try $0.remove(key: [1], in: table) }
        #expect(!isRemoved)
        #expect(try environment.info().lastCommit == before)
        try environment.close()
    }
}
