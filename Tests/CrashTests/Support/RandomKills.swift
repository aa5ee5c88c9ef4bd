// RandomKills: children of one seed, killed one after the other in the same store, now and then in a new one.

import CrashWorld
import Foundation
import LarderEngine
import LarderStore
import Testing

import struct CrashWorld.SplitMix64

/// Children of one seed, killed one after the other in the same store, now and then in a new one.
struct RandomKills {
    /// When to kill.
    private enum KillPoint {
        case afterReady(milliseconds: Int)
        case afterLines(Int, milliseconds: Int)
        case inPhase(Acknowledgement.Phase, after: Int, milliseconds: Int)
    }

    private static let killsPerStore = 50

    private let seed: UInt64
    private let kills: Int
    private var random: SplitMix64
    private var tally = KillTally()
    private var ledger = AcknowledgedState()
    private var known: Set<String> = []

    init(seed: UInt64, kills: Int) {
        self.seed = seed
        self.kills = kills
        random = SplitMix64(seed: seed)
    }

    mutating func run() async throws -> KillTally {
        var folder = try TemporaryFolder()
        for number in 0..<kills {
            if number % Self.killsPerStore == 0 {
                close()
                folder = try TemporaryFolder()
                ledger = AcknowledgedState()
                known = []
            }
            let storeSeed = seed &+ UInt64(number / Self.killsPerStore) &* 1000
            try killChild(folder.store, storeSeed)
            tally.phases[ledger.phase, default: 0] += 1
            try await check(folder.store, storeSeed, isThorough: number % 8 == 7)
        }
        close()
        return tally
    }

    private mutating func close() {
        tally.swaps += ledger.swaps
        tally.entries += ledger.entries.count
        if !ledger.entries.isEmpty { tally.stores += 1 }
    }

    private mutating func drawKillPoint() -> KillPoint {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: .afterReady(milliseconds: .random(in: 2...80, using: &random))
        case 3..<6:
            .afterLines(.random(in: 1...60, using: &random), milliseconds: .random(in: 0...20, using: &random))
        case 6:
            .inPhase(
                .staging, after: .random(in: 1...4, using: &random), milliseconds: .random(in: 0...60, using: &random))
        case 7..<9:
            .inPhase(
                .swap, after: .random(in: 1...4, using: &random), milliseconds: .random(in: 0...12, using: &random))
        default: .inPhase(.reclaim, after: 1, milliseconds: .random(in: 0...6, using: &random))
        }
    }

    private mutating func killChild(_ store: String, _ storeSeed: UInt64) throws {
        let child = try ChildProcess(
            ["random", store, "\(storeSeed)", "\(ledger.commands)", "\(ledger.nextEntry)"])
        let killPoint = drawKillPoint()
        var deadline = ContinuousClock.now + .seconds(20)
        var lines = 0
        var phases = 0
        var isReady = false
        var isSet = false
        while let acknowledgement = try child.next(until: deadline) {
            ledger.record(acknowledgement)
            if acknowledgement == .ready {
                isReady = true
                if case .afterReady(let milliseconds) = killPoint {
                    deadline = .now + .milliseconds(milliseconds)
                    isSet = true
                }
            }
            guard isReady, !isSet else { continue }
            lines += 1
            var pause: Int?
            switch killPoint {
            case .afterReady: break
            case .afterLines(let count, let milliseconds): if lines > count { pause = milliseconds }
            case .inPhase(let phase, let count, let milliseconds):
                if acknowledgement == .begin(phase) { phases += 1 }
                // A run without changes never comes to the phase.
                if phases == count || lines > 400 { pause = milliseconds }
            }
            if let pause {
                deadline = .now + .milliseconds(pause)
                isSet = true
            }
        }
        child.kill()
        let (rest, wasKilled) = try child.finish()
        for acknowledgement in rest { ledger.record(acknowledgement) }
        #expect(wasKilled && isReady, "the child ended by itself")
    }

    /// Looks at the file as it was left, then opens it as the next process will.
    private mutating func check(_ path: String, _ storeSeed: UInt64, isThorough: Bool) async throws {
        let model = try World(seed: storeSeed, commands: ledger.commands, hasRows: false).model
        let left = try Store.openQuietly(at: path, access: .readOnly)
        var check = StoreCheck(store: left, model: model, seed: storeSeed, known: known)
        try check.verify()
        try check.checkResources(&ledger)
        try check.checkFilters(ledger)
        try check.checkOutbox(ledger)
        known = check.known
        let before = try left.statistics()
        if before.generations.staging > 0 { tally.stagingLeft += 1 }
        if before.generations.garbage > 0 { tally.garbageLeft += 1 }
        try left.close()

        let store = try Store.openQuietly(at: path)
        #expect(try store.statistics().generations.staging == 0, "an unfinished snapshot survives an open")
        if isThorough {
            try await store.reclaim()
            let after = try store.statistics()
            #expect(after.generations.garbage == 0 && after.generations.garbageRows == 0)
            try StoreCheck(store: store, model: model, seed: storeSeed).verify()
        }
        try store.close()
    }
}
