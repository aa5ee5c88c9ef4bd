// Proves that opening and closing is safe beside other threads and processes, and leaves nothing when it fails.

import Foundation
import LarderEngine
import Synchronization
import Testing

/// Opening and closing beside other threads and processes.
@Suite struct `Opening` {
    /// Pitfall P3: liblmdb's open and close disturb each other between processes.
    @Test func `four processes that open, write and close all the time never fail`() throws {
        let directory = TemporaryDirectory()
        let probes = try (0..<4).map { _ in try Probe("churn", directory.path, "100") }
        for probe in probes { #expect(probe.finish() == ["failures 0 "]) }
    }

    /// Pitfall P1, P3: between threads of one process.
    @Test func `threads that open, write and close all the time never fail`() throws {
        let directory = TemporaryDirectory()
        let failures = Mutex<[String]>([])
        onThreads(8) { thread in
            for cycle in 0..<40 {
                do {
                    let environment = try Environment.open(path: directory.path, options: .small)
                    try environment.set([UInt8(thread)], [UInt8(cycle)], durability: .relaxed)
                    let value = try environment.get([UInt8(thread)])
                    if value != [UInt8(cycle)] { failures.withLock { $0.append("\(value ?? [])") } }
                    try environment.close()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    /// Pitfall P6: the first opener decides how many readers there can be.
    @Test func `the number of reader slots is the first opener's`() throws {
        let directory = TemporaryDirectory()
        let first = try Probe("hold-open", directory.path, "10")
        let slots = first.waitUntilReady()
        let environment = try Environment.open(path: directory.path, options: .small)
        let second = try Probe("hold-open", directory.path, "500")
        #expect(second.waitUntilReady() == slots)
        #expect(try "readers \(environment.info().maximumReaders)" == slots[0])
        try environment.close()
        second.finish()
        first.finish()
    }

    /// The other process has checked no page yet, and no write precedes the new table.
    @Test func `adds no table to a damaged file that another process has open`() throws {
        let store = try GuardedStore(seed: 4)
        let rows = try #require(store.rows["deep"])
        let options = EnvironmentOptions(
            tables: GuardedStore.tables + ["three"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let leaf = store.leaf(of: rows[200].key)
        for mask in [1, 0] as [UInt8] {
            try store.flipping(mask, at: leaf + 14) {
                let other = try Probe("hold-open", store.path, "126")
                other.waitUntilReady()
                if mask == 0 {
                    try Environment.open(path: store.path, options: options).close()
                } else {
                    #expect(throws: EngineError.self) { try Environment.open(path: store.path, options: options) }
                    let file = try Data(contentsOf: URL(fileURLWithPath: store.path + "/data.mdb"))
                    #expect(file.prefix(8192).elementsEqual(store.sound.prefix(8192)))
                }
                other.finish()
            }
        }
    }

    /// Pitfall P9: liblmdb's data descriptor would survive `exec`.
    @Test func `no descriptor of the store survives exec`() throws {
        let directory = TemporaryDirectory()
        do {
            let environment = try Environment.open(path: directory.path, options: .small)
            let numbers = descriptors(in: directory.path)
            #expect(numbers.count >= 3)
            for number in numbers { #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0) }
            try environment.close()
        }
        #expect(descriptors(in: directory.path) == [])
    }

    @Test func `a failed open leaves nothing behind and the next one succeeds`() throws {
        struct Refusal: Error {}
        let directory = TemporaryDirectory()
        #expect(throws: Refusal.self) {
            try Environment.open(path: directory.path, options: .small) { _, _ in throw Refusal() }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        #expect(descriptors(in: directory.path) == [])

        try Environment.open(path: directory.path, options: .init(tables: ["one"])).close()
        #expect(throws: EngineError.missingTable(name: "two")) {
            try Environment.open(path: directory.path, options: .init(access: .readOnly, tables: ["one", "two"]))
        }
        #expect(descriptors(in: directory.path) == [])
        try Environment.open(path: directory.path, options: .small).close()
    }

    @Test func `a missing store is not created by a read-only open`() throws {
        let directory = TemporaryDirectory()
        for access in [EnvironmentOptions.Access.readOnly, .readWriteExisting] {
            #expect(throws: EngineError.notFound) {
                try Environment.open(path: directory.path, options: .init(access: access, tables: []))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `a file that is no database is a typed error`() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let path = directory.path + "/data.mdb"
        try Data(repeating: 0x20, count: 20_000).write(to: URL(fileURLWithPath: path))
        #expect(throws: EngineError.notADatabase) { try Environment.open(path: directory.path, options: .small) }
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(throws: EngineError.truncated(expected: 8192, actual: 0)) {
            try Environment.open(path: directory.path, options: .small)
        }
    }

    /// The descriptors of this process that lead into a directory.
    private func descriptors(in path: String) -> [Int32] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
            return target?.hasPrefix(path) == true ? Int32(name) : nil
        }
    }
}
