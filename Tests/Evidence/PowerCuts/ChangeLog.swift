// ChangeLog: what the recorder wrote, record by record.

import Glibc

/// A recorded change. The kinds and flags are those of Preload/recorder.c.
struct Change {
    enum Kind: UInt32 {
        case open = 1, write, truncate, sync, rename, unlink, makeDirectory, removeDirectory, link, map, other
    }

    let kind: Kind
    let flags: UInt32
    let inode: UInt64
    let offset: UInt64
    let first: String
    let second: String
    let bytes: ArraySlice<UInt8>

    /// Of an open: whether it made the file, and whether it is a directory.
    var isCreated: Bool { flags & 1 != 0 }
    var isDirectory: Bool { flags & 2 != 0 }
    /// Of a write: whether it is on the medium when it returns.
    var isSynced: Bool { flags & 1 != 0 }
}

/// The records of a log.
enum ChangeLog {
    static func read(_ path: String) throws -> [Change] {
        let bytes = try Files.read(path)
        func number(_ place: Int, _ size: Int) -> UInt64 {
            (0..<size).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * $1) }
        }
        var changes: [Change] = []
        var place = 0
        while place < bytes.count {
            guard let kind = Change.Kind(rawValue: UInt32(number(place, 4))) else { throw ToolFailure("a foreign log") }
            let first = place + 40
            let second = first + Int(number(place + 8, 4))
            let data = second + Int(number(place + 12, 4))
            let end = data + Int(number(place + 32, 8)) * (kind == .write ? 1 : 0)
            changes.append(
                Change(
                    kind: kind, flags: UInt32(number(place + 4, 4)), inode: number(place + 16, 8),
                    offset: number(place + 24, 8), first: String(decoding: bytes[first..<second], as: UTF8.self),
                    second: String(decoding: bytes[second..<data], as: UTF8.self), bytes: bytes[data..<end]))
            place = end
        }
        return changes
    }
}
