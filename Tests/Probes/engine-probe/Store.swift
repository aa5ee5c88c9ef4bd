// Helpers to open, read and write a store from the probe.

import LarderEngine

let tables = ["one", "two"]

func open(
    _ path: String, mapSize: Int = 1 << 30, readers: Int = 126, checksAllPages: Bool = true
) throws -> Environment {
    var options = EnvironmentOptions(tables: tables, mapSize: mapSize, mapSizeCap: 1 << 30, maximumReaders: readers)
    if !checksAllPages { options.fullCheckLimit = 0 }
    return try Environment.open(path: path, options: options)
}

extension Environment {
    func set(_ key: String, _ value: [UInt8], durability: Durability = .full) throws {
        let table = table("one")
        let key = Array(key.utf8)
        try writeBlocking(durability: durability) { transaction in
            unsafe try transaction.set(value.span.bytes, forKey: key.span.bytes, in: table)
        }
    }

    func get(_ key: String) throws -> [UInt8]? {
        let table = table("one")
        let key = Array(key.utf8)
        return try read { view in
            guard let value = unsafe try view.value(forKey: key.span.bytes, in: table) else { return nil }
            return unsafe value.withUnsafeBytes { unsafe Array($0) }
        }
    }
}

/// Opens and closes the store, and says what came of it.
func tryOpen(_ path: String, isReadOnly: Bool) {
    do {
        try Environment.open(
            path: path,
            options: .init(
                access: isReadOnly ? .readOnly : .readWrite, tables: tables, mapSize: 1 << 30, mapSizeCap: 1 << 30)
        ).close()
        printLine("opened")
    } catch {
        printLine("\(error)")
    }
}

/// Copies the store, and says what came of it.
func tryCopy(_ path: String, to copy: String) {
    do {
        let environment = try open(path)
        defer { try? environment.close() }
        try environment.copy(to: copy)
        printLine("copied")
    } catch {
        printLine("\(error)")
    }
}

/// Destroys the store, and says what came of it.
func tryDestroy(_ path: String) {
    // A fault counts from here on.
    printLine("opened")
    do {
        try Environment.destroy(path: path, tables: tables) { _, _ in true }
        printLine("destroyed")
    } catch {
        printLine("\(error)")
    }
}

/// Removes files beside the data file.
func removeCompanions(_ path: String, _ names: [String]) throws {
    let environment = try open(path)
    printLine("opened")
    try environment.removeAuxiliaryFiles(names)
    printLine("removed")
    try? environment.close()
}
