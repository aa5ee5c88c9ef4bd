internal import LarderFormat
internal import LarderStore

/// A connection of SQLite with the tables of a store, used for one statement at a time.
// One thread at a time uses it: the one that removed it from the pool; nothing in it is bound to a thread.
final class QuerySession: @unchecked Sendable {
    private let connection: SQLiteConnection
    private let tables: [TableDefinition]
    private var run: QueryRun?
    /// What is known of the last commit that a statement saw.
    private var content: CommitContent?
    /// The compiled statements for reuse, the most recently used one at the end.
    private var cachedStatements: [CompiledStatement] = []
    /// The most statements that are kept, the most bytes of the text of one, and the most plans of one: SQLite plans
    /// again where the value of a pattern changes.
    private static let maxCachedStatements = 16
    private static let maxCachedLength = 16 << 10
    private static let maxPlans = 100

    init(_ tables: [TableDefinition], _ options: QueryOptions) throws {
        self.tables = tables
        connection = try SQLiteConnection()
        for table in tables { try connection.register(RowTable(table, self), as: table.name) }
        // Sorting uses memory: content must not be written to other files.
        try connection.execute("PRAGMA temp_store = MEMORY")
        try connection.register(CollectionTable(self), as: CollectionTable.name)
        // SQLite makes its own tables when they are first named, which is refused later.
        try connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        connection.limitSize(to: Int32(clamping: options.valueLimit))
        connection.restrict { action in
            switch action {
            case .select, .read, .recursion: true
            case .function(let name): !Self.deniedFunctions.contains(name.asciiLowercased)
            case .other: false
            }
        }
        connection.setProgressHandler(every: Int32(QueryRun.watchInterval)) { [unowned self] in
            run?.mayContinue() ?? true
        }
    }

    /// The functions that are refused, since they reach beyond the query.
    private static let deniedFunctions: Set<String> = ["load_extension", "fts3_tokenizer"]

    /// The statement being run. Tables are read by statements only.
    var current: QueryRun {
        guard let run else { preconditionFailure("a table is read outside of a statement") }
        return run
    }

    /// Finds or compiles `sql`, binds `arguments`, and passes the statement to `body` to step through.
    func with<Result>(
        _ sql: String, _ arguments: [SQLValue], _ store: Store, _ options: QueryOptions, commit: UInt64,
        _ body: (SQLiteStatement, QueryRun) throws -> Result
    ) throws -> Result {
        defer { run = nil }
        let content = self.content.flatMap { $0.commit == commit ? $0 : nil } ?? CommitContent(commit: commit)
        self.content = content
        let compiled = try cachedStatement(sql, store, options, content) ?? compile(sql, store, options, content)
        let statement = compiled.statement
        guard statement.parameterCount == arguments.count else {
            throw QueryError.argumentCount(expected: statement.parameterCount, given: arguments.count)
        }
        do {
            for (index, argument) in arguments.enumerated() { try statement.bind(argument, at: index) }
            let result = try body(statement, current)
            cache(compiled)
            return result
        } catch let failure as SQLiteFailure {
            if failure.isInterrupt { throw interruption(current) }
            if failure.isTooBig { throw QueryError.tooLarge(failure.message) }
            throw QueryError.evaluation(message: failure.message)
        }
    }

    /// Returns the statement as it was compiled before, if its plans are valid in this read view.
    private func cachedStatement(
        _ sql: String, _ store: Store, _ options: QueryOptions, _ content: CommitContent
    ) throws -> CompiledStatement? {
        guard let index = cachedStatements.lastIndex(where: { $0.sql.equalsBytewise(sql) }) else { return nil }
        var compiled = cachedStatements.remove(at: index)
        let run = QueryRun(compiled.plans, store: store, options: options, content: content)
        guard try run.satisfies(compiled.basis, tables) else { return nil }
        compiled.basis.commit = content.commit
        run.setUsedCachedStatement()
        self.run = run
        return compiled
    }

    private func compile(
        _ sql: String, _ store: Store, _ options: QueryOptions, _ content: CommitContent
    ) throws -> CompiledStatement {
        let plans = StatementPlans(sql)
        let run = QueryRun(plans, store: store, options: options, content: content)
        self.run = run
        do {
            let statement = try SQLiteStatement(sql, in: connection)
            if !statement.isReadOnlySelect { throw QueryError.notAllowed("it is no SELECT") }
            return CompiledStatement(sql: sql, statement: statement, plans: plans, basis: try run.basis())
        } catch let failure as SQLiteFailure {
            throw failure.isInterrupt ? interruption(run) : QueryError(failure)
        }
    }

    /// Keeps a statement that has run for reuse, without its values.
    private func cache(_ compiled: CompiledStatement) {
        guard compiled.sql.utf8.count <= Self.maxCachedLength, compiled.plans.plans.count <= Self.maxPlans else {
            return
        }
        compiled.statement.reset()
        if compiled.statement.parameterCount > 0 { compiled.statement.clearBindings() }
        if cachedStatements.count == Self.maxCachedStatements { cachedStatements.removeFirst() }
        cachedStatements.append(compiled)
    }

    private func interruption(_ run: QueryRun) -> QueryError { .interrupted(run.interruption ?? .cancelled) }
}

/// A statement with the data that are needed to run it again.
private struct CompiledStatement {
    let sql: String
    let statement: SQLiteStatement
    let plans: StatementPlans
    var basis: PlanBasis
}
