// HeldLocks: reads the kernel's table of locks.

import Foundation

/// Returns the names of the files in the directory at `path` that this process holds a lock on; "." is the directory
/// itself.
///
/// The kernel shows the locks of an open file in /proc/self/fdinfo. A read of /proc/locks may miss some while other tests
/// lock and unlock.
func heldLocks(in path: String) throws -> Set<String> {
    let names = try FileManager.default.contentsOfDirectory(atPath: path) + ["."]
    var inodes: [UInt64: String] = [:]
    for name in names {
        var status = stat()
        if unsafe stat(path + "/" + name, &status) == 0 { inodes[UInt64(status.st_ino)] = name }
    }
    var held: Set<String> = []
    for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo") {
        // A file that another test has closed meanwhile has no entry any more.
        guard let entry = try? String(contentsOfFile: "/proc/self/fdinfo/" + number, encoding: .utf8) else { continue }
        // lock: 1: FLOCK  ADVISORY  READ 4711 08:02:131084 0 EOF
        for line in entry.split(separator: "\n") where line.hasPrefix("lock:") {
            let place = line.split(separator: " ").first { $0.split(separator: ":").count == 3 }
            guard let inode = place?.split(separator: ":").last, let name = UInt64(inode).flatMap({ inodes[$0] }) else {
                continue
            }
            held.insert(name)
        }
    }
    return held
}
