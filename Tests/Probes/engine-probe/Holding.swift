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

/// Holds the store open, says how many reader slots there are, and closes when told.
func holdOpen(_ path: String, readers: Int) throws {
    let environment = try open(path, readers: readers)
    say("readers \(try environment.info().maximumReaders)")
    waitForTest()
    try environment.close()
}
