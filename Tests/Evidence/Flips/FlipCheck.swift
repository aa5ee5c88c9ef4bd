// FlipCheck: verify, get, list, dump, and two syncs or two writes, of one damaged file.

import Glibc
import LarderEngine
import LarderFormat
import LarderStore

/// Checks one damaged file, and counts how.
struct FlipCheck {
    let base: FlipBase
    let results: FlipResults
    /// The directory of the store `store`.
    let root: String
    /// The directory for files that are wrong.
    let kept: String
    let bytes: [UInt8]
    let isClean: Bool
    /// Whether the reads are those of cachetool.
    let isReadOnly: Bool
    /// Whether the changes are syncs.
    let syncs: Bool

    private var path: String { root + "/store" }

    func run() throws {
        try base.write(bytes, to: path, isClean: isClean)
        phase(.verify)
        let isSound = verify()
        results.isVerified = isSound
        results.count(isClean, .verify, isSound ? .right : .refused)
        try base.write(bytes, to: path, isClean: isClean)
        read()
        try base.write(bytes, to: path, isClean: isClean)
        let phase: FlipPhase = syncs ? .sync : .write
        self.phase(phase)
        count(phase) { try change() }
    }

    private func phase(_ phase: FlipPhase) {
        results.phase = phase.rawValue
        alarm(15)
    }

    /// Counts the outcome of a check.
    private func count(_ phase: FlipPhase, _ check: () throws -> FlipOutcome) {
        let outcome = (try? check()) ?? .refused
        results.count(isClean, phase, outcome)
        if outcome == .wrong { FlipReport.report(self, phase, .wrong) }
    }

    /// Whether `cachetool verify` would find nothing.
    private func verify() -> Bool {
        do {
            if try Store.pageFindings(at: path)?.isEmpty == false { return false }
            let store = try Store.open(at: path, options: StoreOptions(access: .readWriteExisting), host: .repeating())
            var count = 0
            let end = Result { try store.verify { _ in count += 1 } }
            try store.close()
            _ = try end.get()
            return count == 0
        } catch {
            return false
        }
    }

    private func read() {
        phase(.get)
        let store: Store
        do {
            // As cachetool does; or as an app does, which recovers first.
            let access: EnvironmentOptions.Access = isReadOnly ? .readOnly : .readWriteExisting
            store = try Store.open(at: path, options: StoreOptions(access: access), host: .repeating())
        } catch {
            for phase in [FlipPhase.get, .list, .dump] { results.count(isClean, phase, .refused) }
            return
        }
        count(.get) { try store.read { view in try get(view) } }
        phase(.list)
        count(.list) { try store.read { view in try list(view) } }
        phase(.dump)
        // An app's dump has what the open has recovered.
        if isReadOnly { count(.dump) { try store.read { try FlipBase.dump($0) == base.dump ? .right : .wrong } } }
        try? store.close()
    }

    private func get(_ view: borrowing ReadView) throws -> FlipOutcome {
        for row in base.rows where try view.payload(at: row.key) != row.payload { return .wrong }
        return .right
    }

    private func list(_ view: borrowing ReadView) throws -> FlipOutcome {
        for list in base.lists where try view.rows(in: .all(of: list.resource)) != list.rows { return .wrong }
        return .right
    }

    /// Changes the store, and returns whether the content is in the end that of an undamaged file, or damage is found in
    /// it. What was repaired by fetching it again is right.
    private func change() throws -> FlipOutcome {
        let expected = results.expected(syncs: syncs)
        let content = try Self.change(root, syncs: syncs, syncsAtEnd: { $0 != expected.raw })
        if content.raw == expected.raw || content.final == expected.final || !verify() { return .right }
        let tables = zip(TableName.allCases, zip(content.final, expected.final))
        print("other content after the changes: \(tables.filter { $0.1.0 != $0.1.1 }.map(\.0.rawValue))")
        return .wrong
    }

    /// What a store holds: the digest of each table, and what is seen of it in step with the server, or nothing.
    struct Content {
        var raw: [UInt64] = []
        var final: [UInt64] = []
    }

    /// Changes the store below `root` by two syncs or by writes, with another open in between.
    ///
    /// - Parameter syncsAtEnd: whether to sync it in the end, given its digests.
    static func change(_ root: String, syncs: Bool, syncsAtEnd: ([UInt64]) -> Bool) throws -> Content {
        let player = try Player(root: root, seed: 77, notes: false)
        do {
            let operations: [Operation] =
                syncs ? [.sync, .reopen, .sync, .reclaim] : [.put, .enqueue, .reopen, .put, .complete, .reclaim]
            for operation in operations { try player.play(operation) }
            var content = Content(raw: try player.digests().values)
            if syncsAtEnd(content.raw) { content.final = try player.finalContent() }
            try player.close()
            return content
        } catch {
            try? player.close()
            throw error
        }
    }
}
