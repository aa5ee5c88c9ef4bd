internal import CSQLite

/// An error that SQLite reported.
struct SQLiteFailure: Error {
    /// The primary result code.
    let code: Int32
    /// What SQLite says about it; may quote the statement.
    let message: String
    /// The place in the statement, in bytes of UTF-8, or nil.
    let offset: Int?

    var isInterrupt: Bool { code == SQLITE_INTERRUPT }
    var isRefusal: Bool { code == SQLITE_AUTH }
    /// Whether the statement itself is wrong, or one of its values.
    var isMistake: Bool { code == SQLITE_ERROR }
    var isTooBig: Bool { code == SQLITE_TOOBIG || code == SQLITE_NOMEM }
    /// Whether the file is none of SQLite's, or is damaged.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_FORMAT }
}

/// What a statement is about to do.
enum SQLiteAction {
    case select, read(table: String), function(name: String), recursion, other
}
