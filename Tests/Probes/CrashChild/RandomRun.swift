// RandomRun: syncs, swaps, reclaims and writes to the outbox until it is killed.

import CrashWorld
import Larder
import LarderStore

import struct CrashWorld.SplitMix64

/// Syncs, swaps, reclaims and writes to the outbox until it is killed.
struct RandomRun {
    let path: String
    let seed: UInt64
    let commands: Int
    let firstEntry: Int

    func run() async throws {
        var world = try World(seed: seed, commands: commands, hasRows: true)
        let store = try Store.open(at: path)
        var random = SplitMix64(seed: seed ^ UInt64(commands) << 32 ^ UInt64(firstEntry))
        var entry = firstEntry
        acknowledge(.ready)
        while true {
            for _ in 0..<Int.random(in: 0...3, using: &random) { try step(&world) }
            while world.played < World.contents.count { try step(&world) }
            let writes = Int.random(in: 0...6, using: &random)
            let first = entry
            async let outbox: Void = write(store, from: first, count: writes)
            try await sync(store, world, &random)
            try await outbox
            entry += writes
            if Int.random(in: 0..<3, using: &random) == 0 {
                acknowledge(.begin(.reclaim))
                try await store.reclaim()
                acknowledge(.end(.reclaim))
            }
        }
    }

    private func step(_ world: inout World) throws {
        acknowledge(.world(world.played))
        try world.step()
    }

    private func sync(_ store: Store, _ world: World, _ random: inout SplitMix64) async throws {
        let runs = ReportedRuns(store: store, world: world)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            async let first: Void = runs.sync(0)
            async let second: Void = runs.sync(1)
            _ = try await (first, second)
        case 3..<7: try await runs.sync(0)
        default: try await runs.sync(1)
        }
    }

    /// Appends entries, each with a row of its own in the same commit, and takes the oldest out now and then.
    @concurrent private func write(_ store: Store, from first: Int, count: Int) async throws {
        for number in first..<first + count {
            acknowledge(.begin(.outbox))
            acknowledge(.enqueueing(number))
            let sequence = try await store.write { transaction in
                try transaction.put(
                    Array("{\"id\":\(number)}".utf8), at: Entries.row(number), updatedAt: 0)
                return try transaction.enqueue(Entries.draft(number, seed: seed)).sequence
            }
            acknowledge(.enqueued(number, sequence: sequence))
            if number % 3 == 0, let oldest = try store.read({ try $0.outboxEntries(limit: 1) }).first {
                acknowledge(.completing(Int(oldest.id.low)))
                try await store.write { try $0.removeEntry(oldest.id, outcome: "accepted", at: 0) }
                acknowledge(.completed(Int(oldest.id.low)))
            }
            acknowledge(.end(.outbox))
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
