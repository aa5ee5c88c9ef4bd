// CutCommand: makes the states that a power cut may leave of a recorded run, and checks each.

import Glibc

/// `cuts LOG --scratch DIR --kept DIR --seed S --subsets N --drop-syncs 0|1`.
struct CutCommand {
    private let changes: [Change]
    private let seed: UInt64
    private let subsets: Int
    private let keptPath: String
    /// Whether a synced write counts as one that is not: a fault that has to be found.
    private let dropsSyncs: Bool
    private var check: StateCheck
    /// The contents of each store, in the order of its commits.
    private var commits: [String: [TableDigests]] = [:]
    /// The place in ``commits`` of the newest content that is acknowledged.
    private var acknowledged: [String: Int] = [:]
    private var operation = ""
    private var states = 0
    private var strictStates = 0
    private var unacknowledged = 0
    private var findings: [String] = []

    init(_ arguments: Arguments) throws {
        changes = try ChangeLog.read(arguments.word(0))
        seed = UInt64(try arguments.number("seed", 1))
        subsets = try arguments.number("subsets", 4)
        keptPath = arguments.text("kept") ?? "."
        dropsSyncs = try arguments.number("drop-syncs") == 1
        check = StateCheck(scratch: arguments.text("scratch") ?? ".")
    }

    /// Returns the exit status: 0, or 1 with a finding.
    mutating func run() throws -> Int32 {
        var model = FileModel()
        var random = SplitMix64(seed: seed)
        for (number, change) in changes.enumerated() {
            let path = model.begin(change)
            if path == "acks" {
                for line in String(decoding: change.bytes, as: UTF8.self).split(separator: "\n") { try read(line) }
            } else if let path, changesCommit(change, path) {
                try noteCommit(path.parent, model)
            }
            var cut = CutStates(model: model, random: SplitMix64(seed: random.next()), subsets: subsets)
            try cut.forEach { try judge($0, number) }
            if dropsSyncs, change.kind == .write { continue }
            model.end(change)
            if change.kind != .sync { continue }
            cut = CutStates(model: model, random: SplitMix64(seed: random.next()), subsets: 0)
            try cut.forEach { try judge($0, number) }
        }
        for call in model.unknown.sorted() { print("note: \(call) is not replayed") }
        print(
            "cuts: changes=\(changes.count) commits=\(commits.values.reduce(0) { $0 + $1.count }) states=\(states)"
                + " strict=\(strictStates) distinct=\(check.checks) newer=\(unacknowledged) findings=\(findings.count)")
        return findings.isEmpty ? 0 : 1
    }

    /// Whether a directory is a store's, and not one that another program fills beside its place.
    private func isStore(_ name: String) -> Bool { !name.contains("/") && !name.contains(".") }

    /// Whether a change may have ended a commit: a write of a meta page, or a file that came into its place.
    private func changesCommit(_ change: Change, _ path: String) -> Bool {
        guard path.split(separator: "/").count <= 2 else { return false }
        if change.kind == .rename { return path.hasSuffix("/data.mdb") || !path.contains("/") }
        return path.hasSuffix("/data.mdb") && change.offset < 8192
    }

    /// Adds the content that programs see now to the commits of a store.
    private mutating func noteCommit(_ parent: String, _ model: FileModel) throws {
        let all = Set(model.live.keys.filter { $0.hasSuffix("/data.mdb") }.map(\.parent))
        for name in parent.isEmpty ? all : [parent] {
            if !isStore(name) { continue }
            var state = CutState(name: "live")
            for (path, node) in model.live where path == name || path.hasPrefix(name + "/") {
                if node.isDirectory {
                    state.directories.insert(path)
                } else {
                    state.files[path] = CutState.File(bytes: model.content(of: node), inode: node.inode, hash: 0)
                }
            }
            try check.materialize(state, name)
            let digests = try StoreState.digests(at: check.scratch + "/" + name)
            if commits[name]?.last != digests { commits[name, default: []].append(digests) }
        }
    }

    private mutating func read(_ line: Substring) throws {
        let words = line.split(separator: " ")
        if words[0] == "begin" { return operation = String(words[1]) }
        let name = String(words[1])
        let first = acknowledged[name] ?? 0
        let place = commits[name, default: []].indices.dropFirst(first).first { place in
            commits[name]?[place].value(named: words[2]) == UInt64(words[3])
        }
        guard let place else { throw ToolFailure("no commit of \(name) has the acknowledged \(words[2])") }
        acknowledged[name] = place
    }

    /// Checks each store of a state against its commits.
    private mutating func judge(_ state: CutState, _ number: Int) throws {
        states += 1
        if state.name.hasPrefix("strict") { strictStates += 1 }
        let names = Set(state.directories.filter(isStore)).union(acknowledged.keys)
        for name in names.sorted() {
            let verdict = try check.verdict(of: state, name)
            guard let fault = fault(verdict, name) else { continue }
            findings.append(fault)
            if findings.count > 20 { continue }
            let kept = "\(keptPath)/cut-\(seed)-\(number)-\(findings.count)"
            Files.makeDirectory(kept)
            try StateCheck(scratch: kept).materialize(state, name)
            print("finding: change \(number), in \(operation), state \(state.name), \(name): \(fault); kept in \(kept)")
        }
    }

    /// What is wrong with a store; nil when nothing is.
    private mutating func fault(_ verdict: Verdict, _ name: String) -> String? {
        switch verdict {
        case .refused(let error): return error
        case .absent: return acknowledged[name] == nil ? nil : "the store is gone"
        case .content(let digests):
            guard let place = commits[name]?.lastIndex(of: digests) else {
                let tables = commits[name]?.last?.differences(from: digests) ?? "all"
                return "it has the content of no commit; tables that differ from the last: \(tables)"
            }
            guard let least = acknowledged[name] else { return nil }
            if place > least { unacknowledged += 1 }
            return place < least ? "commit \(place) is older than the acknowledged \(least)" : nil
        }
    }
}
