// CutStates: the states that a power cut may leave, at one time.

import LarderFormat

/// The files of a state: for each path the bytes and the inode that the file had.
struct CutState {
    struct File {
        let bytes: [UInt8]
        let inode: UInt64
        let hash: UInt64
    }

    /// How the state was made, for a report.
    let name: String
    var files: [String: File] = [:]
    var directories: Set<String> = []

    /// One number for the files below a directory.
    func hash(of directory: String) -> UInt64 {
        var hash: UInt64 = directories.contains(directory) ? 1 : 0
        for path in files.keys.sorted() where path.hasPrefix(directory + "/") {
            hash = Array(path.utf8).rawSpan.xxh64(seed: hash)
            hash ^= (files[path]?.hash ?? 0) &* 0x9E37_79B9_7F4A_7C15
        }
        return hash
    }
}

/// Which of the changes that are not synced a state has.
struct CutStates {
    let model: FileModel
    var random: SplitMix64
    /// Random subsets of each time.
    let subsets: Int

    /// Calls `body` with each state.
    mutating func forEach(_ body: (CutState) throws -> Void) throws {
        let dirty = model.dirty
        let hasNames = !model.pendingNames.isEmpty
        let all = dirty.map { model.content(of: $0) }
        let none = dirty.map(\.durable)
        try emit("all", all, names: model.live, dirty, body)
        if dirty.isEmpty && !hasNames && model.strictPending.isEmpty { return }
        try emit("none", none, names: model.durable, dirty, body)
        try emit("no names", all, names: model.durable, dirty, body)
        try emit("no writes", none, names: model.live, dirty, body)
        for _ in 0..<(dirty.isEmpty ? 0 : subsets) {
            try emit("subset", dirty.map { subset(of: $0) }, names: orderedNames(), dirty, body)
            try emit("torn", dirty.map { torn($0) }, names: orderedNames(), dirty, body)
        }
        if model.strictPending.isEmpty { return }
        try emit("strict none", none, names: model.strictDurable, dirty, body)
        try emit("strict names", all, names: model.strictDurable, dirty, body)
        for _ in 0..<max(1, subsets / 2) {
            try emit("strict subset", dirty.map { subset(of: $0) }, names: strictNames(), dirty, body)
        }
    }

    /// The names on the medium, and some of the changes: the first of them.
    private mutating func orderedNames() -> [String: Node] {
        var names = model.durable
        let count = model.pendingNames.isEmpty ? 0 : Int.random(in: 0...model.pendingNames.count, using: &random)
        for change in model.pendingNames.prefix(count) { change.apply(to: &names) }
        return names
    }

    /// The names on the medium, and any of the changes.
    private mutating func strictNames() -> [String: Node] {
        var names = model.strictDurable
        for change in model.strictPending where Bool.random(using: &random) { change.apply(to: &names) }
        return names
    }

    /// The bytes of a file with each change or without it, at random.
    private mutating func subset(of node: Node) -> [UInt8] {
        var data = node.durable
        let share = Int.random(in: 1...9, using: &random)
        for change in node.pending where Int.random(in: 0..<10, using: &random) < share { change.apply(to: &data) }
        return data
    }

    /// The bytes of a file with parts of each change: some of its sectors, or of its pages.
    private mutating func torn(_ node: Node) -> [UInt8] {
        var data = node.durable
        let unit = Bool.random(using: &random) ? 512 : 4096
        for change in node.pending {
            guard case .write(let offset, let bytes) = change else {
                change.apply(to: &data)
                continue
            }
            let kind = Int.random(in: 0..<4, using: &random)
            let middle = Int.random(in: 0...bytes.count / unit + 1, using: &random)
            var place = offset
            while place < offset + bytes.count {
                let end = min((place / unit + 1) * unit, offset + bytes.count)
                let number = (place - offset) / unit
                let isKept =
                    switch kind {
                    case 0: number < middle
                    case 1: number >= middle
                    case 2: Bool.random(using: &random)
                    default: true
                    }
                let start = bytes.startIndex - offset
                let part = bytes[start + place..<start + end]
                if isKept { Node.Pending.write(offset: place, bytes: part).apply(to: &data) }
                place = end
            }
        }
        return data
    }

    private func emit(
        _ name: String, _ contents: [[UInt8]], names: [String: Node], _ dirty: [Node], _ body: (CutState) throws -> Void
    ) throws {
        var state = CutState(name: name)
        for (path, node) in names where isReachable(path, names) {
            if node.isDirectory {
                state.directories.insert(path)
                continue
            }
            if let place = dirty.firstIndex(where: { $0 === node }) {
                let bytes = contents[place]
                state.files[path] = CutState.File(bytes: bytes, inode: node.inode, hash: bytes.rawSpan.xxh64(seed: 0))
            } else {
                state.files[path] = CutState.File(bytes: node.durable, inode: node.inode, hash: node.durableHash)
            }
        }
        try body(state)
    }

    /// Whether every directory above a path is there.
    private func isReachable(_ path: String, _ names: [String: Node]) -> Bool {
        var parent = path.parent
        while !parent.isEmpty {
            if names[parent]?.isDirectory != true { return false }
            parent = parent.parent
        }
        return true
    }
}
