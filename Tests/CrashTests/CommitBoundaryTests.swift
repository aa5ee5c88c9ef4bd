// Proves that a process killed before or after any commit leaves a valid store and reaches the same end state when restarted.

import CrashWorld
import Foundation
import LarderEngine
import LarderFormat
import LarderServer
import LarderStore
import Testing

@Suite(.serialized, .enabled(if: KillShim.path != nil, "needs Linux and a C compiler, cc"))
struct `CrashTests: a process killed at a commit` {
    @Test(arguments: KillShim.Side.allCases)
    func `leaves a whole store, whichever the commit, and its work goes on to the same end`(
        _ side: KillShim.Side
    ) async throws {
        let start = ContinuousClock.now
        let expected = try uninterruptedRun()
        let history = try ScriptHistory()
        var number = 1
        while try run(killedAt: number, side, history, expected) { number += 1 }
        print("crash tests: killed \(side.rawValue) each of \(number - 1) commits, in \(ContinuousClock.now - start)")
        #expect(number - 1 >= 20, "the commits were not recognised")
    }

    private func uninterruptedRun() throws -> ContentDump {
        let folder = try TemporaryFolder()
        let child = try ChildProcess(["script", folder.store, "0"])
        let (acknowledgements, _) = try child.finish()
        try #require(acknowledgements.last == .done)
        return try dump(folder.store)
    }

    private func dump(_ path: String) throws -> ContentDump {
        let store = try Store.openQuietly(at: path)
        defer { try? store.close() }
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        #expect(findings.isEmpty, "\(findings.count) findings, first \(findings.first?.description ?? "")")
        return try ContentDump(store)
    }

    /// Kills a child at a commit, looks, and lets another one finish.
    ///
    /// - Returns: false when there are not that many commits.
    private func run(
        killedAt number: Int, _ side: KillShim.Side, _ history: ScriptHistory, _ expected: ContentDump
    ) throws -> Bool {
        let folder = try TemporaryFolder()
        let first = try ChildProcess(
            ["script", folder.store, "0"], environment: KillShim.environment(.commits, number, side))
        let (acknowledgements, wasKilled) = try first.finish()
        guard wasKilled else {
            #expect(acknowledgements.last == .done)
            return false
        }
        let step = acknowledgements.compactMap { if case .step(let step) = $0 { step } else { nil } }.max() ?? 0
        if FileManager.default.fileExists(atPath: folder.store + "/data.mdb") {
            let left = try Store.openQuietly(at: folder.store, access: .readOnly)
            var findings: [Finding] = []
            _ = try left.verify { findings.append($0) }
            #expect(findings.isEmpty, "commit \(number): first \(findings.first?.description ?? "")")
            try history.check(left, step: step, acknowledgements, "commit \(number)")
            try left.close()
        }
        let second = try ChildProcess(["script", folder.store, "\(step)"])
        let rest = try second.finish().rest
        #expect(rest.last == .done)
        #expect(try dump(folder.store) == expected, "commit \(number)")
        return true
    }
}

/// What the script's server had after each step.
private struct ScriptHistory {
    private var rows: [[ResourceKey: [String: [UInt8]]]] = []
    private var bounds: [Int64] = []

    init() throws {
        let script = Script()
        for number in Script.steps.indices {
            try script.apply(number)
            var found: [ResourceKey: [String: [UInt8]]] = [:]
            for id in script.origin.publicResources {
                let all = script.origin.rows(of: id) ?? []
                found[ResourceKey(id.group, id.id)] = Dictionary(
                    all.map { ("\($0.key.type) \($0.key.key)", $0.body) }, uniquingKeysWith: { $1 })
            }
            rows.append(found)
            bounds.append(script.origin.sequence)
        }
    }

    /// Every resource is as it was after some step, and at least as new as the token says.
    func check(_ store: Store, step: Int, _ said: [Acknowledgement], _ place: String) throws {
        let dump = try ContentDump(store)
        let (states, resources) = try store.read { (try $0.filters(), try $0.allResources()) }
        let bound = states.first { $0.token != nil }?.lastUntilSequence
        let oldest = try bound.map { try #require(bounds.firstIndex(of: $0), "\(place): a token of no step") } ?? 0
        let isReady = Set(resources.filter { $0.state == .ready }.map(\.key))
        for key in Script.resources {
            let found = isReady.contains(key) ? dump.rows[key] : nil
            if !isReady.contains(key) { #expect(dump.rows[key, default: [:]].isEmpty, "\(place): \(key)") }
            let matches = (bound == nil ? [nil] : []) + (oldest...step).map { rows[$0][key] }
            #expect(matches.contains(found), "\(place): \(key) is as after no step from \(oldest) to \(step)")
        }
        for case .enqueued(let number, let sequence) in said {
            let id = Entries.id(number, seed: Script.seed)
            let entry = try store.read { try $0.outboxEntry(id) }
            let gone = try store.read { try $0.outboxOutcomes() }.first { $0.id == id }
            #expect((entry == nil) != (gone == nil), "\(place): entry \(number)")
            #expect((entry?.sequence ?? gone?.sequence) == sequence)
            if said.contains(.completed(number)) { #expect(gone != nil) }
        }
    }
}
