// FileModel: the files below a directory as the medium has them, and what was changed since and not synced.

import LarderFormat

/// A file or directory.
final class Node {
    /// A change that is not on the medium yet.
    enum Pending {
        case write(offset: Int, bytes: ArraySlice<UInt8>)
        case truncate(size: Int)

        func apply(to data: inout [UInt8]) {
            switch self {
            case .truncate(let size):
                if size < data.count { data.removeLast(data.count - size) }
                data.append(contentsOf: repeatElement(0, count: size - data.count))
            case .write(let offset, let bytes):
                data.append(contentsOf: repeatElement(0, count: max(0, offset + bytes.count - data.count)))
                data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            }
        }
    }

    let inode: UInt64
    let isDirectory: Bool
    /// The bytes on the medium.
    var durable: [UInt8] = []
    var pending: [Pending] = []
    /// Whether every change counts as synced: no program reads the bytes after a power cut.
    let isVolatile: Bool
    private var knownHash: UInt64?

    init(inode: UInt64, isDirectory: Bool, isVolatile: Bool = false) {
        self.inode = inode
        self.isDirectory = isDirectory
        self.isVolatile = isVolatile
    }

    /// The hash of ``durable``.
    var durableHash: UInt64 {
        if let knownHash { return knownHash }
        let hash = durable.rawSpan.xxh64(seed: 0)
        knownHash = hash
        return hash
    }

    /// Puts all changes on the medium.
    func sync() {
        if pending.isEmpty { return }
        for change in pending { change.apply(to: &durable) }
        pending = []
        knownHash = nil
    }
}

/// A change of names.
enum NameChange {
    case make(path: String, Node)
    case remove(path: String)
    case rename(from: String, to: String, Node)

    /// The directory whose sync makes it durable: of a rename, that of the new name.
    var directory: String {
        switch self {
        case .make(let path, _), .remove(let path), .rename(_, let path, _): path.parent
        }
    }

    /// Applies it. A renamed file is found by its new name also where the old one was not on the medium.
    func apply(to names: inout [String: Node]) {
        switch self {
        case .make(let path, let node): names[path] = node
        case .remove(let path): names[path] = nil
        case .rename(let from, let to, let node):
            names[from] = nil
            names[to] = node
            if !node.isDirectory { return }
            for (path, child) in names where path.hasPrefix(from + "/") {
                names[path] = nil
                names[to + path.dropFirst(from.count)] = child
            }
        }
    }
}

extension String {
    /// The directory of a path below the root; empty for the root itself.
    var parent: String {
        guard let slash = lastIndex(of: "/") else { return "" }
        return String(self[..<slash])
    }
}

/// Everything below the root.
struct FileModel {
    /// The names as programs see them.
    private(set) var live: [String: Node] = [:]
    /// The names on the medium.
    private(set) var durable: [String: Node] = [:]
    /// The changes of names that no sync covers, in their order.
    private(set) var pendingNames: [NameChange] = []
    /// The names on the medium, and the changes not on it, where each directory keeps its own.
    private(set) var strictDurable: [String: Node] = [:]
    private(set) var strictPending: [NameChange] = []
    private var nodes: [UInt64: Node] = [:]
    /// Records of calls that the model does not know.
    private(set) var unknown: Set<String> = []

    /// The files with changes that are not on the medium.
    var dirty: [Node] {
        var found: [ObjectIdentifier: Node] = [:]
        for names in [live, durable, strictDurable] {
            for node in names.values where !node.pending.isEmpty { found[ObjectIdentifier(node)] = node }
        }
        return found.values.sorted { $0.inode < $1.inode }
    }

    /// The bytes of a file as programs see them.
    func content(of node: Node) -> [UInt8] {
        var data = node.durable
        for change in node.pending { change.apply(to: &data) }
        return data
    }

    /// Applies a record as it is while the call has not returned; returns the path of the file it changed.
    @discardableResult
    mutating func begin(_ change: Change) -> String? {
        switch change.kind {
        case .open:
            if change.isDirectory { directories[change.inode] = change.first }
            if change.isCreated { make(change.first, change.inode, change.isDirectory) }
        case .makeDirectory: make(change.first, 0, true)
        case .rename:
            if let node = live[change.first] { add(.rename(from: change.first, to: change.second, node)) }
        case .unlink, .removeDirectory: add(.remove(path: change.first))
        case .write, .truncate:
            guard let node = nodes[change.inode] else { return nil }
            let pending: Node.Pending =
                change.kind == .write
                ? .write(offset: Int(change.offset), bytes: change.bytes) : .truncate(size: Int(change.offset))
            node.pending.append(pending)
            if node.isVolatile { node.sync() }
            return live.first { $0.value === node }?.key
        case .sync: break
        case .link, .map, .other:
            let path = live.first { $0.value.inode == change.inode }?.key ?? change.first
            unknown.insert("\(change.kind) \(path.split(separator: "/").last ?? "")")
        }
        return change.kind == .rename ? change.second : nil
    }

    /// Applies what the return of the call promises.
    mutating func end(_ change: Change) {
        switch change.kind {
        case .write where change.isSynced:
            if let node = nodes[change.inode] { sync(node) }
        case .sync:
            if let node = nodes[change.inode] { sync(node) } else { syncDirectory(change.inode) }
        default: break
        }
    }

    private mutating func make(_ path: String, _ inode: UInt64, _ isDirectory: Bool) {
        let name = path.split(separator: "/").last
        let node = Node(inode: inode, isDirectory: isDirectory, isVolatile: name == "lock.mdb" || name == "acks")
        if !isDirectory { nodes[inode] = node }
        add(.make(path: path, node))
    }

    private mutating func add(_ change: NameChange) {
        change.apply(to: &live)
        pendingNames.append(change)
        strictPending.append(change)
    }

    /// A file's changes are on the medium. A journal keeps the order of names, so the name of the file, and every change
    /// of names before it, are too.
    private mutating func sync(_ node: Node) {
        node.sync()
        let last = pendingNames.lastIndex { change in
            if case .make(_, let made) = change { made === node } else { false }
        }
        if let last { commitNames(through: last) }
    }

    private mutating func commitNames(through last: Int) {
        for change in pendingNames[...last] { change.apply(to: &durable) }
        pendingNames.removeSubrange(...last)
    }

    /// The inode of each directory, as opens have shown it.
    var directories: [UInt64: String] = [:]

    private mutating func syncDirectory(_ inode: UInt64) {
        guard let path = directories[inode] else { return }
        if let last = pendingNames.lastIndex(where: { $0.directory == path }) { commitNames(through: last) }
        var rest: [NameChange] = []
        for change in strictPending {
            if change.directory == path { change.apply(to: &strictDurable) } else { rest.append(change) }
        }
        strictPending = rest
    }
}
