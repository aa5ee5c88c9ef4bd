internal import LarderEngine
internal import LarderFormat

/// A build of entries over existing rows, run by run.
struct IndexBuild {
    private var waiting: [IndexedRows]
    /// The rows of the last run, and the key at which they continue.
    private var rest: (rows: IndexedRows, start: [UInt8])?

    /// A build over `rows`.
    init(over rows: [IndexedRows]) {
        waiting = rows
    }

    /// A build of the entries of a generation's rows, under the indexes over rows of its resource.
    init(_ indexes: [SecondaryIndex], ofGeneration generation: Int64) {
        self.init(over: IndexedRows.all(indexes, in: .generation(generation)))
    }

    /// The entries to be written next, sorted; nil at the end.
    mutating func next(_ store: Store) throws -> IndexRun? {
        if rest == nil, let rows = waiting.popLast() { rest = (rows, try rows.prefix()) }
        guard let (rows, start) = rest else { return nil }
        var run = IndexRun(rows, from: start)
        while run.canGrow {
            try Task.checkCancellation()
            try store.read { view in try run.read(view.tables, view.transaction) }
        }
        run.sort()
        rest = run.next.map { (rows, $0) }
        return run
    }
}

extension Store {
    /// Writes the entries of a build, in short commits that let other writes go first.
    ///
    /// - Returns: false where one of its indexes was discarded meanwhile.
    func writeEntries(of build: consuming IndexBuild) async throws -> Bool {
        while let run = try build.next(self) {
            var position = 0
            while position < run.count {
                try Task.checkCancellation()
                let start = position
                let end = try await writeBulk { transaction in
                    try transaction.write(run, from: start, isTimeUp: self.shared.deadline())
                }
                guard let end else { return false }
                position = end
            }
        }
        return true
    }

    /// As ``writeEntries(of:)``, blocking, with each commit as large as ``BulkLimits/bytes`` allows.
    func writeEntriesBlocking(of build: consuming IndexBuild) throws -> Bool {
        while let run = try build.next(self) {
            var position = 0
            while position < run.count {
                let start = position
                let end = try writeBlocking(durability: .relaxed) { transaction in
                    try transaction.write(run, from: start, isTimeUp: { false })
                }
                guard let end else { return false }
                position = end
            }
        }
        return true
    }
}
