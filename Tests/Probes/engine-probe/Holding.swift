// Commands that hold a transaction or an open environment until the process is killed.

import LarderEngine

/// Holds a snapshot until killed.
func holdRead(_ path: String) throws {
    try open(path).read { _ in waitForTest() }
}

/// Holds a write transaction with a change in it until killed.
func holdWrite(_ path: String) throws {
    let environment = try open(path)
    let table = environment.table("one")
    try environment.writeBlocking { transaction in
        let key = Array("unfinished".utf8)
        unsafe try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
        waitForTest()
    }
}

/// Holds the store open, reports how many reader slots there are, and closes when requested.
func holdOpen(_ path: String, readers: Int) throws {
    let environment = try open(path, readers: readers)
    printLine("readers \(try environment.info().maximumReaders)")
    waitForTest()
    try environment.close()
}
