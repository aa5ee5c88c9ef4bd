import LarderFormat
import LarderStore

/// The filters: how ready each is, how old, and why it makes no progress.
enum SyncPage {
    static func content(_ context: PageContext, _ view: borrowing ReadView) throws -> PageContent {
        let reasons = try FilterReasons(view, now: context.now, context.redactor)
        let wanted = context.query.filled("filter")
        var rows: [[HTML]] = []
        var members: HTML = ""
        let (filters, damaged) = try view.readableFilterStates()
        for (state, readiness) in filters {
            let text = StatusText(DisplayedFilter(readiness: readiness), context.redactor)
            rows.append([
                .link(state.filter, .sync, [("filter", state.filter)]), "\(text.readiness(now: context.now))",
                .link(text.share, .sync, [("filter", state.filter)]), .time(readiness.syncedAt, now: context.now),
                .time(state.lastRunAt, now: context.now), .time(state.nextRunAt, now: context.now),
                "\(state.failures)", "\(reasons.sentence(state, readiness))",
            ])
            if state.filter == wanted { members = self.members(state, readiness, context) }
        }
        let server = try view.readableServer(of: .sync)
        return PageContent(
            title: "Sync",
            body: """
                <p>Server: \(server ?? "none yet").</p>
                \(HTML.damaged(damaged, context))
                \(HTML.table(
                    "Filters",
                    [
                        .text("Filter"), .text("Readable offline"), .text("Resources"), .text("Synced"), .text("Last run"),
                        .text("Next run"), .number("Failed runs"), .text("Why, and what makes it go on"),
                    ], rows,
                    empty: damaged.isEmpty
                        ? "The store has no filters: no app has synced content into it." : "No other filter."))
                \(RunTimeline.html(filters.map(\.state), now: context.now))
                \(members)
                """)
    }

    private static func members(
        _ state: FilterState, _ readiness: FilterReadiness, _ context: PageContext
    ) -> HTML {
        let (shown, next) = context.part(readiness.members, 500)
        let rows = shown.map { member -> [HTML] in
            let failure = member.failure.map { failure -> HTML in
                "\(failure.reason); \(countText(failure.attempts, "attempt")), \(failure.isFinal ? "not tried again until something changes" : HTML.time(failure.retryAt, now: context.now))"
            }
            return [
                .link(member.key), member.isComplete ? "yes" : "no: \(String(describing: member.state))",
                .time(member.syncedAt, now: context.now), .time(member.changedAt, now: context.now),
                "\(member.rowCount)", failure ?? "–",
            ]
        }
        return """
            <h2>Filter \(state.filter)</h2>
            \(HTML.facts([
                ("Server sequence", "\(readiness.asOfSequence.map { String($0) } ?? "–")"),
                ("Last error", "\(state.lastError ?? "none")"),
                ("Rejected tokens in a row", "\(state.resyncs)"),
                ("Pages of this run", "\(state.pagesDone)"),
            ]))
            \(HTML.table(
                "Resources of the filter",
                [
                    .text("Resource"), .text("Readable offline"), .text("Synced"), .text("Changed"), .number("Rows"),
                    .text("Failure"),
                ], rows, empty: "The server named no resource for this filter yet."))
            \(HTML.paging(.sync, [("filter", state.filter)], next: next, context))
            \(runs(state, context))
            """
    }

    private static func runs(_ state: FilterState, _ context: PageContext) -> HTML {
        .table(
            "Its latest runs, the newest first", [.text("Ended"), .text("Began"), .text("Result")],
            state.runs.reversed().map { runs in
                [
                    .time(runs.endedAt, now: context.now), .time(runs.beganAt, now: context.now),
                    "\(RunTimeline.sentence(runs))",
                ]
            }, empty: "No run has ended yet.")
    }
}
