import ArgumentParser
import Foundation
import LarderFormat
import LarderStore

/// Reports the state of syncing.
struct Filters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say how ready each filter's content is, and the state of its sync.",
        discussion: """
            Prints, parted by tabs: filter, the beginning of its token, readiness, complete resources of all it holds, \
            the server sequence it is as of, its age, what its run is at, failed runs in a row, when it is tried next, \
            rejected tokens in a row, last error, server, and why it does not move and what makes it go on, in one sentence. \
            Complete is what can be read without the server; overdue what was \
            not synced for seven days. Times are by this machine's clock. With --watch it goes on until it is \
            interrupted: on a terminal it draws over itself, otherwise it prints a line for each filter that changes.

            JSON: {filter, token, complete, overdue, asOfSequence, syncedAt, age, bootstrapping, rejected, run, timeline, \
            pagesDone, resourcesToGo, rowsToGo, bytesToGo, lastRunAt, nextRunAt, failures, lastError, resyncs, \
            resyncedAt, members: [{group, id, complete, state, appliedSequence, generation, rows, bytes, syncedAt, changedAt, \
            schemaVersion, finishedInRun}], runs: [{beganAt, endedAt, count, rowsWritten, error}], server, why} for each. \
            Rows written are those of snapshots too, and those deleted. Times are in milliseconds since 1970-01-01 UTC, the \
            age in milliseconds. What is to go is estimated by the copies that are there, null where there is none.

            EXAMPLE: cachetool filters /data/store --watch

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "Go on, and show what changes.")
    var watch = false
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if watch, printing.json { throw ValidationError("--watch cannot be combined with --json.") }
    }

    func run() async throws {
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        let redactor = Redactor(isOn: printing.redact, store: try opened.read { try $0.format().storeID })
        guard watch else {
            var lines = CollectedLines()
            let damaged = try opened.read { view in
                let server = try view.readableServer(of: .sync)
                let reasons = try FilterReasons(view, now: Self.now(), redactor)
                let (filters, damaged) = try view.readableFilterStates()
                for (state, readiness) in filters {
                    try Interrupt.check()
                    let why = reasons.sentence(state, readiness)
                    printing.json
                        ? lines.add(json(state, readiness, server, why, redactor))
                        : lines.add(columns: columns(state, readiness, server, redactor) + [why])
                }
                return damaged
            }
            try lines.print()
            if !damaged.isEmpty { throw ToolError.damagedFilters(damaged.map { $0.name(redactor) }) }
            return
        }
        var display = LiveDisplay(empty: "no filters")
        while true {
            try Interrupt.check()
            try display.show(try opened.read { view in try StatusText.entries(view, now: Self.now(), redactor) })
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    static func now() -> Int64 { Int64(Date.now.timeIntervalSince1970 * 1000) }
}

extension Filters {
    private func columns(
        _ state: FilterState, _ readiness: FilterReadiness, _ server: String?, _ redactor: Redactor
    ) -> [String] {
        let now = Self.now()
        let text = StatusText(DisplayedFilter(readiness: readiness), redactor)
        let run = state.isRejected ? "token rejected" : state.isBootstrapping ? "bootstrapping" : "up to date"
        return [
            text.name, shortened(state.token, redactor), text.readiness(now: now), text.share,
            readiness.asOfSequence.map { "\($0)" } ?? "-", durationText(readiness.age(now: now)), run,
            "\(state.failures)", timeText(state.nextRunAt), "\(state.resyncs)",
            state.lastError.map { redactor.text($0) } ?? "-", server.map { redactor.text($0) } ?? "-",
        ]
    }

    /// Returns the beginning of a token: enough to distinguish it from others.
    private func shortened(_ token: String?, _ redactor: Redactor) -> String {
        guard let token else { return "-" }
        if redactor.isOn || token.count <= 12 { return redactor.text(token) }
        return redactor.text(String(token.prefix(12))) + "…"
    }

    private func json(
        _ state: FilterState, _ readiness: FilterReadiness, _ server: String?, _ why: String, _ redactor: Redactor
    ) -> JSON {
        let now = Self.now()
        return [
            "filter": redactor.json(state.filter), "token": redactor.json(state.token),
            "complete": .bool(readiness.isComplete), "overdue": .bool(readiness.isOverdue(now: now)),
            "asOfSequence": .optional(readiness.asOfSequence), "syncedAt": .optional(readiness.syncedAt),
            "age": .optional(readiness.age(now: now)), "bootstrapping": .bool(state.isBootstrapping),
            "rejected": .bool(state.isRejected), "run": .integer(state.run), "pagesDone": .integer(state.pagesDone),
            "timeline": .integer(state.timeline),
            "resourcesToGo": .count(readiness.remainingResourceCount),
            "rowsToGo": .optional(readiness.remainingRowCount.map { Int64($0) }),
            "bytesToGo": .optional(readiness.remainingByteCount.map { Int64($0) }),
            "lastRunAt": .optional(state.lastRunAt), "nextRunAt": .optional(state.nextRunAt),
            "failures": .integer(state.failures), "lastError": redactor.json(state.lastError),
            "resyncs": .integer(state.resyncs), "resyncedAt": .optional(state.resyncedAt),
            "members": .array(readiness.members.map { json($0, redactor) }),
            "runs": .array(state.runs.map { json($0, redactor) }), "server": redactor.json(server),
            "why": .string(why),
        ]
    }

    private func json(_ runs: RecordedRuns, _ redactor: Redactor) -> JSON {
        [
            "beganAt": .integer(runs.beganAt), "endedAt": .integer(runs.endedAt), "count": .integer(runs.count),
            "rowsWritten": .integer(runs.rowsWritten), "error": redactor.json(runs.error),
        ]
    }

    private func json(_ member: ResourceReadiness, _ redactor: Redactor) -> JSON {
        [
            "group": redactor.json(member.key.group), "id": redactor.json(member.key.id),
            "complete": .bool(member.isComplete), "state": .string("\(member.state)"),
            "appliedSequence": .integer(member.appliedSequence), "generation": .optional(member.generation),
            "rows": .count(member.rowCount), "bytes": .count(member.byteCount),
            "syncedAt": .optional(member.syncedAt), "changedAt": .optional(member.changedAt),
            "schemaVersion": .optional(member.schemaVersion),
            "finishedInRun": member.isFinishedInRun.map { .bool($0) } ?? .null,
        ]
    }
}
