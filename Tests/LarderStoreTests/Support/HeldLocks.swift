// HeldLocks: reads the kernel's lock table.

import Foundation

/// Returns the names of the files in the directory at `path` that this process holds a lock on, by /proc/locks; "." is
/// the directory itself.
func heldLocks(in path: String) throws -> Set<String> {
    let names = try FileManager.default.contentsOfDirectory(atPath: path) + ["."]
    var inodes: [UInt64: String] = [:]
    for name in names {
        var status = stat()
        if unsafe stat(path + "/" + name, &status) == 0 { inodes[UInt64(status.st_ino)] = name }
    }
    // 1: FLOCK  ADVISORY  READ 4711 08:02:131084 0 EOF
    let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
    var held: Set<String> = []
    for line in table.split(separator: "\n") {
        let fields = line.split(separator: " ").filter { $0 != "->" }
        guard fields.count >= 6, fields[4] == "\(getpid())", let inode = fields[5].split(separator: ":").last,
            let name = UInt64(inode).flatMap({ inodes[$0] })
        else { continue }
        held.insert(name)
    }
    return held
}
