import LarderEngine
import LarderFormat
import LarderStore

/// The state of everything at a glance: each number leads to what it counts.
enum OverviewPage {
    static func content(_ context: PageContext) throws -> (PageContent, commit: UInt64) {
        let (sync, commit) = try context.store.read { view in (try filters(context, view), view.commit) }
        let facts = DoctorFacts(of: context.store, at: context.store.path, now: context.now, verifiesPages: false)
        let worst = DoctorCheck.diagnoses(facts).filter { $0.severity != .note }
        let body: HTML = """
            \(context.diagnostics.map { diagnostics($0) } ?? "")
            \(try counts(context, problems: worst.count))
            \(sync)
            <h2>Problems</h2>
            \(worst.isEmpty ? "<p class=\"empty\">Nothing was found. The pages of the file were not checked: Problems does that.</p>" : ProblemsPage.list(Array(worst.prefix(5))))
            """
        return (PageContent(title: "Overview", body: body), commit)
    }

    /// Returns the numbers, and what fills the store; a notice where a record that they need is damaged.
    private static func counts(_ context: PageContext, problems: Int) throws -> HTML {
        do {
            let statistics = try context.store.statistics()
            let resources = statistics.resources
            let responses = try context.store.read { view in try view.responseCount() }
            return """
                \(HTML.facts([
                    ("Resources", .link("\(resources.ready) ready of \(resources.total)", .resources)),
                    ("Rows", .link(groupedText(statistics.rows), .resources)),
                    ("Filters", .link("\(statistics.filters)", .sync)),
                    ("Writes not accepted", .link("\(statistics.outboxEntries)", .outbox)),
                    ("HTTP responses", .link("\(responses)", .responses)),
                    ("File", .link(sizeText(statistics.fileSize), .space)),
                    ("Problems", .link("\(problems)", .problems)),
                ]))
                <h2>What fills the store</h2>
                \(Treemap.html(try parts(context)))
                """
        } catch  where ExitStatus(error) == .damage {
            let (reason, more) = (String(describing: error), HTML.link("Problems", .problems))
            return "<p class=\"bad\">The store cannot be counted: \(reason) See \(more).</p>"
        }
    }

    /// The resources that have a rectangle of their own.
    private static let resources = 40

    /// Returns what fills the store: the largest resources, and the sizes of everything else.
    private static func parts(_ context: PageContext) throws -> [Treemap.Part] {
        let use = try context.store.spaceUse()
        let sizes = try context.store.read { view in try view.allResources() }.sorted { $0.byteCount > $1.byteCount }
        let own = sizes.prefix(resources).map { resource in
            Treemap.Part(
                name: "\(resource.key.group)/\(resource.key.id)", bytes: Int64(resource.byteCount),
                link: InspectorLink(.resource, InspectorLink.values(of: resource.key)), color: 0)
        }
        let rest = sum(sizes.dropFirst(resources).map { Int64($0.byteCount) })
        let content = sum([use.evictable, use.pinned, use.overlaid, use.inUse])
        let responses = max(0, content - sum(own.map(\.bytes) + [rest]))
        return own + [
            .init(name: "other resources", bytes: rest, link: InspectorLink(.resources), color: 1),
            .init(name: "responses and collections", bytes: responses, link: InspectorLink(.responses), color: 2),
            .init(name: "outbox", bytes: use.outbox, link: InspectorLink(.outbox), color: 3),
            .init(name: "being written", bytes: use.staging, link: InspectorLink(.space), color: 4),
            .init(name: "to be removed", bytes: use.garbage, link: InspectorLink(.space), color: 5),
            .init(name: "records", bytes: use.other, link: InspectorLink(.space), color: 6),
        ]
    }

    /// Adds sizes; those of a crafted file may be as large as can be.
    private static func sum(_ sizes: [Int64]) -> Int64 {
        sizes.reduce(0) { sum, size in sum.clampedSum(max(0, size)) }
    }

    private static func diagnostics(_ copy: DiagnosticsRecord) -> HTML {
        let facts = copy.facts.map { fact -> (String, HTML) in
            (fact.name, "<span class=\"lines\">\(lines: fact.value)</span>")
        }
        return """
            <p>A diagnostic copy, made at \(timeText(copy.time)); ages are those of that time. It has no rows and no bodies. \
            What begins with ~ stands for a text that the copy does not have; equal texts have equal numbers.</p>
            \(HTML.facts(facts))
            """
    }

    private static func filters(_ context: PageContext, _ view: borrowing ReadView) throws -> HTML {
        let reasons = try FilterReasons(view, now: context.now, context.redactor)
        let (filters, damaged) = try view.readableFilterStates()
        return .filters(
            "Filters", filters, damaged: damaged, reasons, context,
            empty: "The store has no filters: no app has synced content into it.")
    }
}
