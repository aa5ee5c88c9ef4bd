import LarderStore

/// The diagnoses of `cachetool doctor`, the most important first.
enum ProblemsPage {
    static func content(_ context: PageContext) throws -> (PageContent, commit: UInt64) {
        let facts = DoctorFacts(of: context.store, at: context.store.path, now: context.now)
        let found = DoctorCheck.diagnoses(facts)
        let made = DoctorCheck.all.filter { facts.has($0.part) }.count
        let body: HTML = """
            <p>\(found.isEmpty ? "Nothing was found" : countText(found.count, "thing")) by \(made) checks. Rows were not verified: \
            'cachetool verify' does.</p>
            \(list(found))
            """
        return (PageContent(title: "Problems", body: body), try context.store.read { view in view.commit })
    }

    /// Returns diagnoses, each with what was kept and what to do.
    static func list(_ found: [Diagnosis]) -> HTML {
        let parts = found.map { diagnosis -> HTML in
            """
            <section class="problem \(diagnosis.severity.rawValue)"><h2><span class="severity">\(diagnosis.severity.rawValue)</span> \
            \(diagnosis.found)</h2><dl><dt>Kept</dt><dd>\(diagnosis.kept)</dd><dt>To do</dt><dd>\(diagnosis.remedy)</dd></dl></section>

            """
        }
        return "\(parts)"
    }
}
