// StateCheck: what a store makes of the files that a power cut has left.

import LarderEngine
import LarderStore

/// What a directory of a store is after a power cut.
enum Verdict: Hashable {
    /// There is no data file.
    case absent
    /// The store opens, verifies and has this content.
    case content(TableDigests)
    /// It does not open, or is damaged.
    case refused(String)
}

/// Puts the files of a state into a directory, and opens them.
struct StateCheck {
    /// The directory for the files of the states.
    let scratch: String
    private(set) var known: [UInt64: Verdict] = [:]
    private(set) var checks = 0

    init(scratch: String) { self.scratch = scratch }

    /// Returns what the directory `name` of a state is; equal states are checked once.
    mutating func verdict(of state: CutState, _ name: String) throws -> Verdict {
        let hash = state.hash(of: name)
        if let verdict = known[hash] { return verdict }
        checks += 1
        let verdict = try check(state, name)
        known[hash] = verdict
        return verdict
    }

    /// Checks a state without remembering it.
    func check(_ state: CutState, _ name: String) throws -> Verdict {
        let path = scratch + "/" + name
        try materialize(state, name)
        let hasData = state.files[name + "/data.mdb"] != nil
        do {
            if !hasData {
                // What a cut has left of a creation does not keep a store from being created.
                if state.directories.contains(name), name == "store" {
                    try Store.open(at: path, host: .repeating()).close()
                }
                return .absent
            }
            let digests = try StoreState.digests(at: path)
            if name != "published" { try StoreState.checkUse(at: path) }
            return .content(digests)
        } catch {
            return .refused("\(error)")
        }
    }

    /// Writes the files of the directory `name`.
    func materialize(_ state: CutState, _ name: String) throws {
        Files.remove(scratch + "/" + name)
        for directory in state.directories.sorted() where directory == name || directory.hasPrefix(name + "/") {
            Files.makeDirectory(scratch + "/" + directory)
        }
        var inodes: [UInt64: UInt64] = [:]
        let paths = state.files.keys.filter { $0.hasPrefix(name + "/") }.sorted()
        for path in paths where !path.hasSuffix("guard.lock") {
            guard let file = state.files[path] else { continue }
            try Files.write(file.bytes, to: scratch + "/" + path)
            inodes[file.inode] = Files.identity(scratch + "/" + path)?.inode
        }
        for path in paths where path.hasSuffix("guard.lock") {
            guard let file = state.files[path] else { continue }
            let bytes = GuardBytes.moved(file.bytes, inodes, Files.identity(scratch)?.device ?? 0)
            try Files.write(bytes, to: scratch + "/" + path)
        }
    }
}

/// The record in `guard.lock`, which names the data file and the lock file by their inodes. docs/internals/store.md.
enum GuardBytes {
    /// The record for files that have other inodes here.
    static func moved(_ bytes: [UInt8], _ inodes: [UInt64: UInt64], _ device: UInt64) -> [UInt8] {
        guard bytes.count == 1024 else { return bytes }
        var record = bytes
        func replace(_ place: Int, _ number: UInt64) {
            for byte in 0..<8 { record[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
        }
        func number(_ place: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * $1) } }
        // A record that is torn, or of other files, stays as it is.
        guard number(368) == checksum(bytes[..<368]), let data = inodes[number(40)] else { return bytes }
        replace(32, device)
        replace(40, data)
        if let lock = inodes[number(56)] { replace(56, lock) }
        replace(368, checksum(record[..<368]))
        return record
    }

    /// The record of the same file while a process has it open, or after one was killed.
    static func inUse(_ bytes: [UInt8]) -> [UInt8] {
        var record = bytes
        record[12] &= ~1
        record.replaceSubrange(64..<368, with: repeatElement(0, count: 304))
        let sum = checksum(record[..<368])
        for byte in 0..<8 { record[368 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        return record
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
