internal import LarderFormat
internal import LarderStore

/// A connection of SQLite's with the tables of a store, used for one statement at a time.
// One thread at a time has it: whoever took it out of the pool; nothing in it belongs to a thread.
final class QuerySession: @unchecked Sendable {
    private let connection: SQLiteConnection
    private var run: QueryRun?

    init(_ tables: [TableDefinition], _ options: QueryOptions) throws {
        connection = try SQLiteConnection()
        for table in tables { try connection.register(RowTable(table, self), as: table.name) }
        // What is sorted stays in memory: content belongs into no other file.
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.register(CollectionTable(self), as: CollectionTable.name)
        // SQLite's own tables are made when they are first named, which is refused later.
        try connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        connection.limitSize(to: Int32(clamping: options.valueLimit))
        connection.restrict { action in
            switch action {
            case .select, .read, .recursion: true
            case .function(let name): !Self.refused.contains(name.asciiLowercased)
            case .other: false
            }
        }
        connection.watch(every: Int32(QueryRun.watchInterval)) { [unowned self] in run?.mayContinue() ?? true }
    }

    /// Functions that reach beyond the question.
    private static let refused: Set<String> = ["load_extension", "fts3_tokenizer"]

    /// The statement being run. Tables are read by statements only.
    var current: QueryRun {
        guard let run else { preconditionFailure("a table is read outside of a statement") }
        return run
    }

    /// Compiles `sql`, binds `arguments`, and lends the statement to `body` to step through.
    func with<Result>(
        _ sql: String, _ arguments: [SQLValue], in run: QueryRun, _ body: (SQLiteStatement) throws -> Result
    ) throws -> Result {
        self.run = run
        defer { self.run = nil }
        let statement: SQLiteStatement
        do {
            statement = try SQLiteStatement(sql, in: connection)
        } catch let failure as SQLiteFailure {
            throw failure.isInterrupt ? interruption(run) : QueryError(failure)
        }
        if !statement.isQuestion { throw QueryError.notAllowed("it is no SELECT") }
        guard statement.parameterCount == arguments.count else {
            throw QueryError.argumentCount(expected: statement.parameterCount, given: arguments.count)
        }
        do {
            for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: index) }
            return try body(statement)
        } catch let failure as SQLiteFailure {
            if failure.isInterrupt { throw interruption(run) }
            if failure.isTooBig { throw QueryError.tooLarge(failure.message) }
            throw QueryError.evaluation(message: failure.message)
        }
    }

    private func interruption(_ run: QueryRun) -> QueryError { .interrupted(run.interruption ?? .cancelled) }
}
