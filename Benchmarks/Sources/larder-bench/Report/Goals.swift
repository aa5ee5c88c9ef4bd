// Goals: the goals of every line, as data.

/// The goals of every line.
enum Goals {
    static let all = reads + loads + writes + services

    private static let reads = [
        Goal("get/one view", .atMost(1.2, of: "mdb_get"), .faster(3, than: "SQLite")),
        Goal("get/a view each", .atMost(1.3, of: "mdb_get"), .faster(3, than: "SQLite")),
        Goal("get/allocations, a view each", .below(0)),
        Goal("get/allocations, a view each, a new store", .below(0)),
        Goal("scan/unverified, payload used", .atMost(1.15, of: "cursor")),
        Goal("scan/verified, payload used", .atMost(1.4, of: "cursor")),
        Goal("overlay/patched row, 1 layer", .atMost(1.5, of: "plain row")),
        Goal("overlay/patched row, 10 layers", .atMost(1.5, of: "plain row")),
        Goal("overlay/patched row, 100 layers", .atMost(1.5, of: "plain row")),
        Goal("overlay/50 rows from the end", .below(100)),
        Goal("open/responses and rows", .below(5)),
        Goal("threads/a view each, a writer active", .faster(1.8, than: "one thread")),
    ]

    private static let loads = [
        Goal("sync/snapshot from JSON", .atMost(1.5, of: "LMDB append"), .faster(4, than: "JSONDecoder + SQLite")),
        Goal("sync/snapshot from JSON, longest hold", .below(8)),
        Goal("sync/10,000 changes from JSON", .faster(3, than: "JSONDecoder + SQLite")),
        Goal("sync/10,000 changes from JSON, commits per page", .below(1)),
        Goal("index/snapshot with three indexes and words", .atMost(2.5, of: "without")),
        Goal("index/declare three indexes later", .atMost(1.5, of: "SQLite")),
        Goal("swap/pages written", .atMost(1, of: "1 k rows")),
        Goal("hold/longest batch", .below(8)),
        Goal("memory/peak of a load", .below(64)),
    ]

    private static let writes = [
        Goal("write/1 row, durable", .atMost(1.15, of: "LMDB")),
        Goal("write/64 writers at once", .faster(10, than: "one by one")),
        Goal("observe/commit, 1,000 observers of other things", .atMost(1.2, of: "no observers")),
        Goal("outbox/enqueue with a key, 5,000 pending", .below(30)),
        Goal("outbox/deliver a long queue", .below(0.5), .atMost(1.3, of: "a tenth of it")),
    ]

    private static let services = [
        Goal("http/hit of 4 KB, memory", .below(3)),
        Goal("http/hit of 4 KB, store", .below(6)),
        Goal("http/hit among 100 variants", .atMost(2, of: "one variant")),
        Goal("http/allocations of a hit", .below(12)),
        Goal("http/hit of 1 MB, cachetool serve-client", .below(2)),
        Goal("sql/by key", .atMost(2.5, of: "SQLite")),
        Goal("sql/indexed equality", .atMost(2.5, of: "SQLite")),
        Goal("sql/range, order and limit", .atMost(2.5, of: "SQLite")),
        Goal("sql/join of 20", .atMost(2.5, of: "SQLite")),
        Goal("sql/count of a resource", .atMost(1.5, of: "a tenth of the rows")),
        Goal("sql/count by index", .atMost(3, of: "SQLite")),
        Goal("sql/scan of a column", .atMost(4, of: "SQLite")),
        Goal("search/first after a snapshot", .atMost(1.5, of: "SQLite")),
        Goal("search/first after one changed row", .below(5)),
        Goal("search/a query", .atMost(1.5, of: "SQLite")),
        Goal("cachetool/dump", .atMost(1.5, of: "mdb_dump")),
        Goal("cachetool/load", .atMost(1.5, of: "mdb_load")),
        Goal("cachetool/compact", .atMost(4, of: "mdb_copy -c")),
        Goal("cachetool/verify", .atMost(2, of: "reading the file")),
    ]

    /// The verdicts on all measurements, in the order of the goals, and the lines of goals that were not measured.
    static func judge(_ measurements: [Measurement]) -> (verdicts: [Verdict], unmeasured: [String]) {
        var verdicts: [Verdict] = []
        var unmeasured: [String] = []
        for goal in all {
            let judged = measurements.filter { $0.line == goal.line }.flatMap { goal.judge($0) }
            verdicts += judged
            if judged.isEmpty { unmeasured.append(goal.line) }
        }
        return (verdicts, unmeasured)
    }
}
