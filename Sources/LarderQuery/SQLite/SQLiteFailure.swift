internal import CSQLite

/// An error that SQLite reported.
struct SQLiteFailure: Error {
    /// The primary result code.
    let code: Int32
    /// The message of SQLite; may quote the statement.
    let message: String
    /// The offset in the statement, in bytes of UTF-8, or nil.
    let offset: Int?

    var isInterrupt: Bool { code == SQLITE_INTERRUPT }
    var isDenied: Bool { code == SQLITE_AUTH }
    /// Whether the statement itself is wrong, or one of its values.
    var isSQLError: Bool { code == SQLITE_ERROR }
    var isTooBig: Bool { code == SQLITE_TOOBIG || code == SQLITE_NOMEM }
    /// Whether the file may not grow any more.
    var isFull: Bool { code == SQLITE_FULL }
    /// Whether the file is not SQLite's, is damaged, or has other tables than the program's own statements use.
    var isFileError: Bool { isSQLError || [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT].contains(code) }

    /// The failure of a file of another store, or of another version.
    static let wrongDatabaseFile = SQLiteFailure(
        code: SQLITE_NOTADB, message: "the file is of another store", offset: nil)
}

/// The action that a statement is about to perform.
enum SQLiteAction {
    case select, read(table: String), function(name: String), recursion, other
}
