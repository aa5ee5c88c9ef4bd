// Proves that a full map grows under writes, readers and other processes (pitfalls P25 to P27).

import Foundation
import LarderEngine
import Synchronization
import Testing

/// Pitfalls P25, P26 and P27: a full map, readers while it moves, other processes that move it.
@Suite struct `A growing map` {
    @Test func `stores everything that is written, in one transaction or in many`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .growing(from: 64 << 10))
        let table = environment.table("one")
        var runs = 0
        try environment.writeBlocking { transaction in
            runs += 1
            for row in 0..<200 { try transaction.set([1, UInt8(row)], [UInt8](repeating: 1, count: 3000), in: table) }
        }
        #expect(runs > 1)
        for row in 0..<200 {
            try environment.set([2, UInt8(row)], [UInt8](repeating: 2, count: 3000), durability: .relaxed)
        }
        #expect(try environment.contents().count == 400)
        #expect(try environment.info().mapSize > 1 << 20)
        try environment.close()
    }

    /// Pitfall P25: the commit writes the free list, and may be what finds the map full.
    @Test(arguments: [0, 1, 2, 3]) func `grows when only the commit finds it full`(extra: Int) throws {
        let directory = TemporaryDirectory()
        let options = EnvironmentOptions.growing(from: 256 << 10, to: 256 << 10)
        let environment = try Environment.open(path: directory.path, options: options)
        let table = environment.table("one")
        // With one row per transaction, the put fits last and the copies that the commit needs do not.
        var stored = 0
        var isFull = false
        var wasPutDone = false
        while !isFull {
            do {
                try environment.writeBlocking { transaction in
                    wasPutDone = false
                    let value = [UInt8](repeating: 7, count: 1500 + extra * 900)
                    try transaction.set([UInt8(stored >> 8), UInt8(stored & 255)], value, in: table)
                    wasPutDone = true
                }
                stored += 1
            } catch EngineError.mapFull(let cap) {
                #expect(cap == 256 << 10)
                isFull = true
            }
        }
        #expect(try environment.contents().count == stored)
        // The same again, with a map that may grow: the transaction that did not fit is run once more.
        try environment.close()
        let larger = try Environment.open(path: directory.path, options: .growing(from: 256 << 10))
        for row in stored..<(stored + 50) { try larger.set([UInt8(row >> 8), UInt8(row & 255)], [8]) }
        #expect(try larger.contents().count == stored + 50)
        try larger.close()
        _ = wasPutDone
    }

    @Test func `allows removals when it is full`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .growing(from: 256 << 10, to: 256 << 10))
        let table = environment.table("one")
        var stored = UInt8(0)
        while (try? environment.set([stored], [UInt8](repeating: 1, count: 2000))) != nil { stored += 1 }
        #expect(try environment.writeBlocking { try $0.remove(key: [0], in: table) })
        try environment.close()
    }

    @Test func `never moves beneath a reader`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .growing(from: 64 << 10))
        try environment.set([0], [UInt8](repeating: 0, count: 100))
        let isDone = Atomic<Bool>(false)
        let wrong = Atomic<Int>(0)
        onThreads(4) { thread in
            if thread == 0 {
                for row in 1..<200 {
                    let value = [UInt8](repeating: UInt8(row), count: 100 + row * 40)
                    if (try? environment.set([UInt8(row)], value, durability: .relaxed)) == nil {
                        wrong.add(1, ordering: .relaxed)
                    }
                }
                isDone.store(true, ordering: .releasing)
            }
            while !isDone.load(ordering: .acquiring) {
                let rows = try? environment.contents()
                let isWhole = rows?.allSatisfy { row in
                    row.value
                        == [UInt8](repeating: row.key[0], count: 100 + Int(row.key[0]) * (row.key[0] == 0 ? 0 : 40))
                }
                if isWhole != true { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(try environment.info().mapSize > 64 << 10)
        try environment.close()
    }

    @Test(arguments: [2, 3]) func `is followed by other processes that grow it too`(count: Int) throws {
        let directory = TemporaryDirectory()
        let probes = try (0..<count).map { try Probe("grow", directory.path, "process \($0)", "700") }
        for probe in probes { #expect(probe.finish() == ["wrong 0"]) }
        let environment = try Environment.open(path: directory.path, options: .small)
        #expect(try environment.contents().count == count * 700)
        try environment.close()
    }

    @Test(arguments: [EnvironmentOptions.Access.readWrite, .readOnly])
    func `is followed by a read-only process, on any thread`(access: EnvironmentOptions.Access) throws {
        let directory = TemporaryDirectory()
        try Environment.open(path: directory.path, options: .growing(from: 64 << 10)).close()
        var options = EnvironmentOptions.growing(from: 64 << 10)
        options.access = access
        let environment = try Environment.open(path: directory.path, options: options)
        #expect(try environment.contents() == [])
        try Probe("grow", directory.path, "other", "700").finish()
        #expect(try environment.contents().count == 700)
        try environment.close()
    }

    @Test func `is followed from the writer thread between transactions`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .growing(from: 64 << 10))
        try environment.set([1], [1])
        try Probe("grow", directory.path, "other", "700").finish()
        let counts = Mutex<[Int]>([])
        let done = DispatchSemaphore(value: 0)
        try environment.onWriter {
            let count = try? environment.contents().count
            counts.withLock { $0.append(count ?? -1) }
            done.signal()
        }
        done.wait()
        #expect(counts.withLock { $0 } == [701])
        try environment.close()
    }

    @Test func `is not grown for an error that is not its own`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .growing(from: 1 << 20))
        let size = try environment.info().mapSize
        #expect(throws: EngineError.mapFull(cap: 1)) {
            try environment.writeBlocking { _ in throw EngineError.mapFull(cap: 1) }
        }
        #expect(try environment.info().mapSize == size)
        try environment.close()
    }
}
