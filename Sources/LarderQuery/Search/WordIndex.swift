internal import LarderFormat
internal import LarderJSON
internal import LarderStore

/// The words of rows, in SQLite's FTS5: `search.sqlite` beside the store's data, or in memory.
///
/// Derived from the rows and never trusted over them: each generation's words are marked with the digest of the rows
/// they were read from, and a search that finds another digest in its snapshot brings them in line first. A file that
/// is missing, damaged or another store's is made anew.
// One thread at a time has it: whoever holds its owner's `Mutex`; nothing in it belongs to a thread.
final class WordIndex: @unchecked Sendable {
    /// The file's name in the store's directory.
    private static let fileName = Store.wordsFileName
    /// The version of what is written below.
    private static let version: Int64 = 1

    let connection: SQLiteConnection

    /// The words of one generation of a resource, under one definition.
    struct Part {
        let id: Int64
        /// Digest and count of the rows that the words were read from.
        let digest: UInt64
        let count: Int64

        var words: String { "words_\(id)" }
        var known: String { "known_\(id)" }
    }

    /// Opens the words of `store`; those in a file when there can be one.
    static func open(_ store: Store) throws -> WordIndex {
        let id = try store.read { view in try view.format().storeID }.description
        if store.isReadOnly { return try WordIndex(uri: ":memory:", storeID: id) }
        let directory = try store.pathToOpen(Store.wordsFileNames)
        let uri = "file:\((directory + "/" + fileName).uriEscaped)?modeof=\((directory + "/data.mdb").uriEscaped)"
        do {
            return try WordIndex(uri: uri, storeID: id)
        } catch let failure as SQLiteFailure where failure.isDamage {
            remove(at: store.path)
            return try WordIndex(uri: uri, storeID: id)
        }
    }

    /// Removes the file with the words of a store in the directory at `path`.
    static func remove(at path: String) {
        for name in Store.wordsFileNames { SQLiteConnection.removeFile(path + "/" + name) }
    }

    private init(uri: String, storeID: String) throws {
        connection = try SQLiteConnection(uri: uri)
        connection.waitForLocks(milliseconds: 5000)
        for setting in ["temp_store = MEMORY", "secure_delete = ON", "synchronous = NORMAL"] {
            try connection.execute("PRAGMA \(setting)")
        }
        try transact { try prepare(storeID) }
    }

    /// Makes the tables, and empties the file when it is another store's or another version's.
    private func prepare(_ storeID: String) throws {
        try connection.execute("CREATE TABLE IF NOT EXISTS about (version INTEGER, store TEXT)")
        let about = try rows("SELECT version, store FROM about")
        if about != [[.integer(Self.version), .text(storeID)]] {
            let hasParts = try !rows("SELECT name FROM sqlite_schema WHERE name = 'parts'").isEmpty
            for row in hasParts ? try rows("SELECT id FROM parts") : [] { try row[0].integer.map(drop) }
            try connection.execute("DROP TABLE IF EXISTS parts")
            try connection.execute("DELETE FROM about")
            try connection.execute("INSERT INTO about VALUES (?, ?)", [.integer(Self.version), .text(storeID)])
        }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS parts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, generation INTEGER NOT NULL, definition TEXT NOT NULL,
            digest INTEGER NOT NULL, count INTEGER NOT NULL, UNIQUE (generation, definition))
            """)
    }

    /// The words of a generation under a definition, as they were left; nil when there are none.
    func knownPart(of generation: Int64, _ table: TableDefinition) throws -> Part? {
        let found = try rows(
            "SELECT id, digest, count FROM parts WHERE generation = ? AND definition = ?",
            [.integer(generation), .text(table.searchDefinition)])
        guard let row = found.first, let id = row[0].integer, let digest = row[1].integer, let count = row[2].integer
        else { return nil }
        return Part(id: id, digest: UInt64(bitPattern: digest), count: count)
    }

    /// A place for the words of a generation, without any.
    func makePart(of generation: Int64, _ table: TableDefinition) throws -> Part {
        try connection.execute(
            "INSERT INTO parts (generation, definition, digest, count) VALUES (?, ?, 0, 0)",
            [.integer(generation), .text(table.searchDefinition)])
        let part = Part(id: try rows("SELECT last_insert_rowid()")[0][0].integer ?? 0, digest: 0, count: 0)
        let columns = table.searched.indices.map { "c\($0)" }.joined(separator: ", ")
        try connection.execute(
            "CREATE VIRTUAL TABLE \(part.words) USING fts5(\(columns), tokenize = '\(table.tokenizer.text)')")
        try connection.execute(
            "CREATE TABLE \(part.known) (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL)")
        return part
    }

    /// Drops the words of generations that nobody reads any more.
    func dropParts(except live: Set<Int64>) throws {
        for row in try rows("SELECT id, generation FROM parts") {
            if let id = row[0].integer, let generation = row[1].integer, !live.contains(generation) { try drop(id) }
        }
    }

    private func drop(_ id: Int64) throws {
        let part = Part(id: id, digest: 0, count: 0)
        try connection.execute("DROP TABLE IF EXISTS \(part.words)")
        try connection.execute("DROP TABLE IF EXISTS \(part.known)")
        try connection.execute("DELETE FROM parts WHERE id = ?", [.integer(id)])
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

    /// Every row of a statement of this program's own.
    func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [[SQLValue]] {
        let statement = try SQLiteStatement(sql, in: connection)
        for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: index) }
        var rows: [[SQLValue]] = []
        while try statement.step() { rows.append(statement.columns.indices.map { statement.value(at: $0) }) }
        return rows
    }
}

extension TableDefinition {
    /// What the words of a generation depend on beside its rows.
    var searchDefinition: String {
        ([type, tokenizer.text] + searchedPaths.map(\.text)).map(\.quotedName).joined(separator: " ")
    }

    /// Where the searched columns lie in payloads, in their order.
    var searchedPaths: [JSONPath] {
        searched.compactMap { field in
            columns.first { $0.name.asciiLowercased == field.column.asciiLowercased }?.path
        }
    }
}

extension String {
    /// The path as a part of a URI that SQLite opens.
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
