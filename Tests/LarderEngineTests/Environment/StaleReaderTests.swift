// Proves that killed readers and writers are cleared and pin no pages (pitfall P5).

import Foundation
import LarderEngine
import Testing

/// Pitfall P5: a killed reader pins the pages of its snapshot for ever.
@Suite struct `Readers that were killed` {
    @Test func `are cleared, and the file stops growing`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        try overwrite(environment)
        let reader = try Probe("hold-read", directory.path)
        reader.waitUntilReady()
        reader.kill()

        let before = try environment.info().lastPage
        try overwrite(environment)
        let pinned = try environment.info().lastPage
        #expect(pinned > before + 100)

        #expect(try environment.clearStaleReaders() == 1)
        try overwrite(environment)
        try overwrite(environment)
        #expect(try environment.info().lastPage == pinned)
        try environment.close()
    }

    @Test func `are cleared by the next open`() throws {
        let directory = TemporaryDirectory()
        let holder = try Probe("hold-open", directory.path, "126")
        holder.waitUntilReady()
        let reader = try Probe("hold-read", directory.path)
        reader.waitUntilReady()
        reader.kill()
        let environment = try Environment.open(path: directory.path, options: .small)
        #expect(try environment.clearStaleReaders() == 0)
        try environment.close()
        holder.finish()
    }

    @Test func `do not prevent the map from being used up to its cap`() throws {
        let directory = TemporaryDirectory()
        let options = EnvironmentOptions.growing(from: 1 << 20, to: 1 << 20)
        let environment = try Environment.open(path: directory.path, options: options)
        try overwrite(environment, rounds: 5)
        let reader = try Probe("hold-read", directory.path)
        reader.waitUntilReady()
        reader.kill()
        // Far more than the map holds while the dead reader pins everything.
        try overwrite(environment, rounds: 1000)
        try environment.close()
    }

    @Test func `free their slots for readers that find none`() throws {
        let directory = TemporaryDirectory()
        let options = EnvironmentOptions(
            tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30, maximumReaders: 2)
        let environment = try Environment.open(path: directory.path, options: options)
        let slots = try environment.info().maximumReaders
        let readers = try (0..<slots).map { _ in try Probe("hold-read", directory.path) }
        for reader in readers { reader.waitUntilReady() }
        #expect(throws: EngineError.readersFull) { try environment.get([1]) }
        for reader in readers { reader.kill() }
        #expect(try environment.get([1]) == nil)
        try environment.close()
    }

    private func overwrite(_ environment: Environment, rounds: Int = 200) throws {
        for round in 0..<rounds {
            try environment.set(
                [1], [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 900), durability: .relaxed)
        }
    }
}

/// Pitfall P15: a process that dies while it writes.
@Suite struct `A writer that was killed` {
    @Test func `neither blocks the next one nor leaves changes`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        let writer = try Probe("hold-write", directory.path)
        writer.waitUntilReady()
        writer.kill()
        try environment.set([2], [2])
        #expect(try environment.contents() == [Row(key: [1], value: [1]), Row(key: [2], value: [2])])
        try environment.close()
    }
}
