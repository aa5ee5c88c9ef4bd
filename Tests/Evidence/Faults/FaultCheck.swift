// FaultCheck: what a failed call may leave.

import LarderFormat
import LarderStore

/// Checks what a verb has left, with faults and without.
struct FaultCheck {
    private let base: String
    private let before: TableDigests
    /// The content after the verb without a fault; nil where it leaves no store.
    private var after: TableDigests?
    private var sizes: [String: Int] = [:]

    /// The tables that only operations change, and no work in the background.
    private static let tables: [TableName] = [
        .resources, .filters, .members, .outbox, .overlay, .responses, .collections, .buffers,
    ]

    init(base: String) throws {
        self.base = base
        let scratch = base + "-copy"
        Files.remove(scratch)
        try Files.copy(base, to: scratch)
        before = try StoreState.digests(at: scratch + "/store")
        Files.remove(scratch)
    }

    /// Puts a fresh copy of the base into `root`, one that a clean close vouches for.
    func begin(_ work: String) throws {
        let root = work + "/root"
        Files.remove(root)
        try Files.copy(base, to: root)
        Files.remove(root + "/acks")
        var inodes: [UInt64: UInt64] = [:]
        for name in ["data.mdb", "lock.mdb"] {
            guard let old = Files.identity("\(base)/store/\(name)"), let new = Files.identity("\(root)/store/\(name)")
            else { continue }
            inodes[old.inode] = new.inode
        }
        let path = root + "/store/guard.lock"
        try Files.write(
            GuardBytes.moved(Files.read(path), inodes, Files.identity(root)?.device ?? 0), to: path)
    }

    mutating func noteClean(_ root: String) { after = try? StoreState.digests(at: root + "/store") }

    /// What is wrong with the stores of a directory; nil when nothing is.
    func fault(of verb: FaultVerb, _ root: String, isDone: Bool) -> String? {
        do {
            if verb == .destroy { return try faultOfDestroyed(root, isDone: isDone) }
            for name in ["new", "saved", "loaded", "copy1", "published"] { try checkNew(root, name, isDone: isDone) }
            let digests = try StoreState.digests(at: root + "/store")
            try StoreState.checkUse(at: root + "/store")
            return fault(of: verb, digests, isDone: isDone)
        } catch {
            return "afterwards: \(error)"
        }
    }

    /// A store that was being made is not there, or usable.
    private func checkNew(_ root: String, _ name: String, isDone: Bool) throws {
        guard Files.identity("\(root)/\(name)/data.mdb") != nil else { return }
        do {
            let digests = try StoreState.digests(at: root + "/" + name)
            if name == "copy1" || name == "loaded", digests != before { throw ToolFailure("\(name) has other content") }
            if name != "published" { try StoreState.checkUse(at: root + "/" + name) }
        } catch {
            // The remains of a salvage that failed are the caller's to remove.
            if name == "saved", !isDone { return }
            throw error
        }
    }

    private func faultOfDestroyed(_ root: String, isDone: Bool) throws -> String? {
        if Files.identity(root + "/store/data.mdb") == nil { return nil }
        if isDone { return "the store is still there" }
        try StoreState.checkUse(at: root + "/store")
        return nil
    }

    private func fault(of verb: FaultVerb, _ digests: TableDigests, isDone: Bool) -> String? {
        for table in Self.tables {
            let value = digests[table]
            let (old, new) = (before[table], after?[table] ?? before[table])
            // Several commits, each of which may be the last.
            let isGradual = verb == .operation(.sync) || verb == .operation(.clear) || verb == .operation(.replace)
            if isDone && !isGradual && value != new { return "\(table) lacks what was acknowledged" }
            if value != old && value != new && !(isGradual && old != new) { return "\(table) has neither content" }
        }
        return nil
    }
}
