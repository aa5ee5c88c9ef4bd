internal import LarderFormat
internal import LarderStore

/// The words of rows, in SQLite's FTS5: `search.sqlite` beside the store's data, or in memory.
///
/// Each searched table has one FTS5 table, its corpus, with the words of all of its resources, so that scores compare.
/// The words of each resource are marked with the generation and the digest of the rows they were read from. A search
/// whose read view has other rows updates the words first. A file that is missing, damaged or another store's is made
/// anew.
// One thread at a time uses it: the one that holds its owner's `Mutex`; nothing in it is bound to a thread.
final class WordIndex: @unchecked Sendable {
    /// The file's name in the store's directory.
    private static let fileName = Store.searchFileName
    /// The version of the tables that are made below.
    private static let version: Int64 = 2

    let connection: SQLiteConnection

    /// Opens the words of `store`: in a file, or in memory when the store is read-only or encrypted.
    static func open(_ store: Store) throws -> WordIndex {
        let id = try store.read { view in try view.format().storeID }.description
        if store.isReadOnly || store.isEncrypted {
            return try WordIndex(uri: ":memory:", storeID: id, cap: store.searchSizeCap)
        }
        let directory = try store.pathToOpen(Store.searchFileNames)
        let uri = "file:\((directory + "/" + fileName).uriEscaped)?modeof=\((directory + "/data.mdb").uriEscaped)"
        do {
            return try WordIndex(uri: uri, storeID: id, cap: store.searchSizeCap)
        } catch let failure as SQLiteFailure where failure.isFileError {
            remove(at: store.path)
            return try WordIndex(uri: uri, storeID: id, cap: store.searchSizeCap)
        }
    }

    /// Removes the files with the words of a store in the directory at `path`.
    static func remove(at path: String) {
        for name in Store.searchFileNames { SQLiteConnection.removeFile(path + "/" + name) }
    }

    private init(uri: String, storeID: String, cap: Int64?) throws {
        connection = try SQLiteConnection(uri: uri)
        connection.waitForLocks(milliseconds: 5000)
        // Removed content must leave the file, since its size counts.
        for setting in ["temp_store = MEMORY", "secure_delete = ON", "synchronous = NORMAL", "auto_vacuum = FULL"] {
            try connection.execute("PRAGMA \(setting)")
        }
        if let cap, let size = try rows("PRAGMA page_size").first?[0].integer {
            try connection.execute("PRAGMA max_page_count = \(max(1, cap / size))")
        }
        try transact { try prepare(storeID) }
    }

    private func prepare(_ storeID: String) throws {
        let about: [SQLValue] = [.integer(Self.version), .text(storeID)]
        if try rows("SELECT name FROM sqlite_schema LIMIT 1").isEmpty {
            for sql in [
                "CREATE TABLE about (version INTEGER, store TEXT)",
                "CREATE TABLE corpora (id INTEGER PRIMARY KEY AUTOINCREMENT, definition TEXT NOT NULL UNIQUE)",
                """
                CREATE TABLE parts (
                id INTEGER PRIMARY KEY AUTOINCREMENT, corpus INTEGER NOT NULL, "group" TEXT NOT NULL, resource INTEGER NOT NULL,
                generation INTEGER NOT NULL, digest INTEGER NOT NULL, count INTEGER NOT NULL,
                UNIQUE (corpus, "group", resource))
                """,
            ] { try connection.execute(sql) }
            try connection.execute("INSERT INTO about VALUES (?, ?)", about)
        } else if try rows("SELECT version, store FROM about") != [about] {
            throw SQLiteFailure.wrongDatabaseFile
        }
    }

    /// Runs `body` in one transaction of the file.
    func transact<Result>(isWriting: Bool = true, _ body: () throws -> Result) throws -> Result {
        try connection.execute(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
        do {
            let result = try body()
            try connection.execute("COMMIT")
            return result
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// Returns every row of one of the program's own statements.
    func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [[SQLValue]] {
        let statement = try SQLiteStatement(sql, in: connection)
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: index) }
        var rows: [[SQLValue]] = []
        while try statement.step() { rows.append(statement.columns.indices.map { statement.value(at: $0) }) }
        return rows
    }
}

extension String {
    /// The path, escaped for a URI that SQLite opens.
    fileprivate var uriEscaped: String {
        var escaped = ""
        for byte in utf8 {
            let isPlain = byte > 0x20 && byte < 0x7F && !Array("?#%&=".utf8).contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            escaped += isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }
        return escaped
    }
}
