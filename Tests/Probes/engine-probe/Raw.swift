// Commands that use liblmdb or its lock file without the engine.

import CLMDB
import Foundation

/// Says whether any process holds a POSIX lock on the store's `lock.mdb`.
func queryLock(_ path: String) throws {
    let number = unsafe open(path + "/lock.mdb", O_RDWR)
    var query = flock()
    query.l_type = Int16(F_WRLCK)
    query.l_whence = Int16(SEEK_SET)
    _ = unsafe fcntl(number, F_GETLK, &query)
    printLine(query.l_type == Int16(F_UNLCK) ? "free" : "held")
}

/// What liblmdb does without the engine: opens the environment twice, closes one, and waits.
func openTwiceRaw(_ path: String) throws {
    var environments: [OpaquePointer?] = unsafe []
    for _ in 0..<2 {
        var environment: OpaquePointer?
        unsafe mdb_env_create(&environment)
        unsafe mdb_env_open(environment, path, UInt32(MDB_NOTLS), 0o600)
        unsafe environments.append(environment)
    }
    unsafe mdb_env_close(environments.removeLast())
    waitForTest()
}
