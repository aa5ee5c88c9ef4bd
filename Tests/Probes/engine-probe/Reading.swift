// Commands that read a store whose file may be damaged.

import LarderEngine

/// Reads a row by its key and all rows by a cursor, in a read view and in a write transaction that has changed their
/// page, and says how each went.
func readRows(_ path: String, key text: String) throws {
    let environment = try open(path, checksAllPages: false)
    let table = environment.table("one")
    let key = Array(text.utf8)
    report("get") { try environment.get(text)?.count ?? -1 }
    report("cursor") { try environment.read { view in try byteCount(of: table, in: view) } }
    let first: [UInt8] = [0]
    for (name, body) in [
        (
            "changed get",
            { transaction in
                guard let value = unsafe try transaction.reader.value(forKey: key.span.bytes, in: table) else {
                    return -1
                }
                return unsafe value.withUnsafeBytes { unsafe Array($0) }.count
            }
        ),
        ("changed cursor", { transaction in try byteCount(of: table, in: transaction.reader) }),
        (
            "removal",
            { transaction in
                try transaction.withCursor(in: table) { cursor in
                    unsafe try cursor.removeWhile(from: key.span.bytes, limit: .max) { entry in
                        // Nothing is removed: liblmdb moves bytes by a damaged size within the page.
                        unsafe entry.value.withUnsafeBytes { unsafe Array($0) }.count < 0
                    }
                }
            }
        ),
    ] as [(String, (inout WriteTransaction) throws -> Int)] {
        report(name) {
            var count = 0
            do {
                try environment.writeBlocking { transaction in
                    unsafe try transaction.set(first.span.bytes, forKey: first.span.bytes, in: table)
                    count = try body(&transaction)
                    throw CancellationError()
                }
            } catch is CancellationError {}
            return count
        }
    }
    try environment.close()
}

/// Reads each row by its key, and says how many were found and how many had an error.
func readAll(_ path: String, rows: Int) throws {
    let environment = try open(path)
    printLine("opened")
    var (found, failed) = (0, 0)
    for row in 0..<rows {
        do {
            if try environment.get("row \(row + 1000)") != nil { found += 1 }
        } catch EngineError.ioFailure {
            failed += 1
        }
    }
    printLine("found \(found) failed \(failed)")
    try environment.close()
}

/// Changes each row in a transaction of its own, and says how many were changed and how many had an error.
func changeAll(_ path: String, rows: Int, isRemoval: Bool) throws {
    let environment = try open(path, checksAllPages: false)
    let table = environment.table("one")
    printLine("opened")
    var (changed, failed) = (0, 0)
    for row in 0..<rows {
        let key = Array("row \(row + 1000)".utf8)
        do {
            try environment.writeBlocking(durability: .relaxed) { transaction in
                if isRemoval {
                    _ = unsafe try transaction.remove(key.span.bytes, in: table)
                } else {
                    unsafe try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
                }
            }
            changed += 1
        } catch EngineError.ioFailure {
            failed += 1
        }
    }
    printLine("changed \(changed) failed \(failed)")
    try environment.close()
}

/// Reads a row of a table twice, and says how each went.
func readTwice(_ path: String, table name: String, key text: String) throws {
    let options = EnvironmentOptions(access: .readOnly, tables: [name], mapSize: 1 << 30, mapSizeCap: 1 << 30)
    let environment = try Environment.open(path: path, options: options)
    let key = Array(text.utf8)
    printLine("opened")
    for _ in 0..<2 {
        report("get") {
            try environment.read { view in
                unsafe try view.value(forKey: key.span.bytes, in: environment.table(name))?.byteCount ?? -1
            }
        }
    }
    try environment.close()
}

/// Reads all entries of the tables of a damaged store, and says how many there are and how many pages are damaged.
func salvage(_ path: String) throws {
    printLine("opened")
    let reader = try SalvageReader(storeAt: path)
    var count = 0
    try reader.forEachEntry { entry in if case .table = entry.origin { count += 1 } }
    printLine("entries \(count) damaged \(reader.pages.damaged)")
}

private func byteCount(of table: Table, in view: ReadTransaction) throws -> Int {
    try view.withCursor(in: table) { cursor in
        var count = 0
        while let entry = try cursor.next() {
            count += unsafe entry.key.withUnsafeBytes { unsafe Array($0) }.count
            count += unsafe entry.value.withUnsafeBytes { unsafe Array($0) }.count
        }
        return count
    }
}

private func report(_ name: String, _ body: () throws -> Int) {
    do {
        printLine("\(name) \(try body())")
    } catch {
        printLine("\(name) \(error)")
    }
}
