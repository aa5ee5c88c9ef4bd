// Proves that reads nest, share their snapshot, release their slots, and refuse impossible keys.

import CLMDB
import Foundation
import Synchronization
import Testing

@testable import LarderEngine

@Suite struct `A read` {
    /// Pitfall P7: a second snapshot on one thread, or one thread's snapshot on another.
    @Test func `can be nested, shares its snapshot, and renews on any thread`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        try environment.set([1], [1])
        try environment.read { outer in
            let done = DispatchSemaphore(value: 0)
            try environment.onWriter {
                try? environment.transact(durability: .relaxed) { try $0.set([1], [2], in: table) }
                done.signal()
            }
            done.wait()
            #expect(try environment.read { try $0.get([1], in: table) } == [1])
            #expect(try outer.get([1], in: table) == [1])
        }
        #expect(try environment.get([1]) == [2])
        let wrong = Atomic<Int>(0)
        onThreads(16) { _ in
            for _ in 0..<200 where (try? environment.get([1])) != [2] { wrong.add(1, ordering: .relaxed) }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(try environment.info().usedReaders <= 17)
        try environment.close()
    }

    /// Slots of the reader table belong to all processes.
    @Test func `releases its slot after a burst, except for a few that are cached`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        let inside = Atomic<Int>(0)
        onThreads(60) { _ in
            try? environment.read { _ in
                inside.add(1, ordering: .sequentiallyConsistent)
                // All are inside at once.
                while inside.load(ordering: .sequentiallyConsistent) < 60 { usleep(100) }
            }
        }
        #expect(inside.load(ordering: .relaxed) == 60)
        #expect(usedSlots(environment) == 16)
        onThreads(40) { _ in _ = try? environment.get([1]) }
        #expect(usedSlots(environment) <= 16)
        try environment.close()
    }

    /// The slots of the reader table that are taken, by whatever process: lines of LMDB's own list, but for its heading.
    private func usedSlots(_ environment: Environment) -> Int {
        var count = -1
        _ = unsafe mdb_reader_list(
            environment.handle,
            { _, context in
                unsafe context?.assumingMemoryBound(to: Int.self).pointee += 1
                return 0
            }, &count)
        return count
    }

    @Test func `that throws releases its snapshot`() throws {
        struct Refusal: Error {}
        let directory = TemporaryDirectory()
        let options = EnvironmentOptions(tables: ["one"], mapSize: 1 << 20, mapSizeCap: 1 << 20, maximumReaders: 2)
        let environment = try Environment.open(path: directory.path, options: options)
        let table = environment.table("one")
        for _ in 0..<200 {
            #expect(throws: Refusal.self) {
                try environment.read { view in try view.withCursor(in: table) { _ in throw Refusal() } }
            }
        }
        #expect(try environment.get([1]) == nil)
        try environment.close()
    }

    /// Pitfall P36: LMDB takes an empty or overlong key for one that is not there.
    @Test(arguments: [0, 1, 511, 512, 5000])
    func `refuses a key of impossible size on every path`(size: Int) throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let key = [UInt8](repeating: 7, count: size)
        let isPossible = (1...511).contains(size)
        func check(_ body: () throws -> Void) {
            let outcome = Result { try body() }
            switch outcome {
            case .success: #expect(isPossible)
            case .failure(let error):
                #expect(!isPossible && error as? EngineError == .keySize(actual: size, limit: 511), "\(error)")
            }
        }
        check { try environment.set(key, [1]) }
        check {
            let found = try environment.get(key)
            #expect(found == [1])
        }
        check {
            try environment.read { view in try view.withCursor(in: table) { _ = unsafe try $0.seek(key.span.bytes) } }
        }
        check {
            try environment.read { view in
                try view.withCursor(in: table) { _ = unsafe try $0.seek(before: key.span.bytes) }
            }
        }
        check {
            try environment.writeBlocking { transaction in
                _ = unsafe try transaction.reader.value(forKey: key.span.bytes, in: table)
            }
        }
        check {
            try environment.writeBlocking { transaction in
                _ = unsafe try transaction.append([2].span.bytes, forKey: key.span.bytes, in: table)
            }
        }
        check {
            try environment.writeBlocking { transaction in
                try transaction.withCursor(in: table) { cursor in
                    _ = unsafe try cursor.removeWhile(from: key.span.bytes, limit: 0) { _ in false }
                }
            }
        }
        check { _ = try environment.writeBlocking { try $0.remove(key: key, in: table) } }
        #expect(try environment.contents() == [])
        try environment.close()
    }

    /// Pitfall P38: nothing aligns a value. Pitfall P46: a value may be empty and is there all the same.
    @Test func `returns values of any length at any alignment`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        let keys = (1...40).map { length in [UInt8](repeating: UInt8(length), count: length) }
        try environment.writeBlocking { transaction in
            for key in keys {
                try transaction.set(key, [UInt8](repeating: key[0], count: (Int(key[0]) - 1) * 7), in: table)
            }
        }
        try environment.read { view in
            var alignments: Set<UInt> = []
            for key in keys {
                guard let value = unsafe try view.value(forKey: key.span.bytes, in: table) else {
                    Issue.record("a key is missing")
                    continue
                }
                let count = value.byteCount
                #expect(count == (Int(key[0]) - 1) * 7)
                unsafe value.withUnsafeBytes { bytes in
                    if let start = bytes.baseAddress { alignments.insert(UInt(bitPattern: start) % 8) }
                }
                guard count >= 8 else { continue }
                let word = unsafe value.unsafeLoadUnaligned(as: UInt64.self)
                #expect(word == UInt64(key[0]) * 0x0101_0101_0101_0101)
            }
            #expect(alignments.count > 1)
        }
        try environment.close()
    }
}
