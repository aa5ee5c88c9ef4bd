public import LarderEngine
internal import LarderFormat

extension Store {
    /// Checks one read view, and reports everything that differs from FORMAT.md.
    ///
    /// Nothing is changed. The pages are checked first, by plain reads: where one is damaged, the check ends with them,
    /// because nothing can be said of records that LMDB may not find; a large value that is gone hides no others. A
    /// damaged record does not hide the others. Holds the read view throughout, so pages freed meanwhile are not reused.
    /// Blocks.
    ///
    /// ```swift
    /// let summary = try store.verify { finding in print(finding, finding.remedy) }
    /// ```
    ///
    /// - Parameters:
    ///   - level: how much is read.
    ///   - progress: receives what was read so far and the whole, in pages and then in records, from time to time.
    ///   - report: receives each finding as it is found.
    /// - Throws: the errors of `progress` and `report`, which end the check; `EngineError` when the store is closed
    ///   or no reader slot is left.
    /// - Complexity: reads the whole store, at most twice; memory for each resource, generation and filter, for the row
    ///   names of one collection, and one bit per page; not for rows.
    public func verify(
        _ level: VerifyLevel = .meaning, progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in },
        _ report: (Finding) throws -> Void
    ) throws -> VerifySummary {
        var summary = VerifySummary()
        let readsLeaves = try level >= .pages || environment.isFullyCheckedAtOpen
        let problems = try environment.pageProblems(readsLeaves: readsLeaves, progress: progress)
        for problem in problems { try report(Finding(problem)) }
        summary.findings = problems.count
        if level < .records || problems.contains(where: { !$0.isContained }) { return summary }
        return try withoutActuallyEscaping(progress) { progress in
            try withoutActuallyEscaping(report) { report in
                // The other half of what is to be compared is not in a diagnostic copy.
                let isWhole = (try? read { view in try view.format().features.isDiagnostic }) != true
                let verifier = Verifier(
                    tables: tables, comparesRecords: level == .meaning && isWhole, findings: problems.count,
                    progress: progress, report: report)
                do {
                    try read { view in try verifier.run(view.transaction) }
                } catch let stop as Verifier.CallbackError {
                    throw stop.cause
                }
                return verifier.summary
            }
        }
    }

    /// Checks the next pages by plain reads: a step of a check that an idle app makes little by little.
    ///
    /// ```swift
    /// var scrub = PageScrub()
    /// for finding in try store.scrub(&scrub, pages: 256) { print(finding, finding.remedy) }  // about a megabyte
    /// print(scrub.isAtStart ? "every page was checked" : "goes on with the next call")
    /// ```
    ///
    /// Each step holds a read view of its own, so commits go on between them. Blocks.
    ///
    /// - Parameters:
    ///   - scrub: where the check is, which this moves on; behind the last page it begins again.
    ///   - pages: the number of pages after which the step ends.
    /// - Returns: the findings about the pages of the step.
    /// - Throws: `EngineError` when the store is closed, no reader slot is left, or the file cannot be read.
    public func scrub(_ scrub: inout PageScrub, pages: Int = 256) throws -> [Finding] {
        try environment.checkPages(&scrub, budget: pages).map { Finding($0) }
    }

    /// Returns the findings about the pages of a store that no process has open, without opening it; nil where one has, and
    /// where `guard.lock` does not show that the file is a store's.
    ///
    /// An open of a store that was closed cleanly checks its meta pages only, and liblmdb trusts the others.
    ///
    /// - Throws: the errors of `progress`; the cases of `EngineError` named under opening.
    public static func pageFindings(
        _ level: VerifyLevel = .pages, at path: String,
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> [Finding]? {
        let limit = level == .quick ? EnvironmentOptions(tables: []).fullCheckLimit : .max
        return try Environment.pageProblems(ofStoreAt: path, limit: limit, progress: progress)?.map { Finding($0) }
    }
}

extension Finding {
    fileprivate init(_ problem: PageProblem) {
        let key = problem.firstKey.map { TupleElement.bytes($0).description } ?? "the first"
        self.init(
            severity: .damage, table: problem.tree, kind: .page, page: Int(clamping: problem.page),
            endsChecks: !problem.isContained,
            location: "page \(problem.page), keys from \(key) on", message: problem.reason)
    }
}

/// The figures of one ``Store/verify(_:progress:_:)``.
public struct VerifySummary: Hashable, Sendable {
    /// Records read, in all tables.
    public internal(set) var entries = 0
    /// Bytes of their keys and values.
    public internal(set) var bytes: Int64 = 0
    /// Generations known or found among the rows.
    public internal(set) var generations = 0
    /// Findings reported.
    public internal(set) var findings = 0

    /// Figures of a check that ended with these findings before it read a record.
    public init(findings: Int = 0) { self.findings = findings }
}
