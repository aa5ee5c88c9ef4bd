/// One check of `doctor`: a function of facts alone.
struct DoctorCheck: Sendable {
    /// The name, which is stable.
    let name: String
    /// The part of the facts that it needs.
    let part: DoctorFacts.Part
    /// Returns the diagnoses that facts call for.
    let find: @Sendable (DoctorFacts) -> [Diagnosis]

    init(_ name: String, _ part: DoctorFacts.Part, _ find: @escaping @Sendable (DoctorFacts) -> [Diagnosis]) {
        self.name = name
        self.part = part
        self.find = find
    }
}

extension DoctorCheck {
    /// All checks, the most important first.
    static let all = [
        DoctorCheck("damage", .pages) { damage($0) },
        DoctorCheck("records", .files) { unreadable($0) },
        DoctorCheck("open", .files) { failure($0) },
        DoctorCheck("guard", .files) { missingGuard($0) },
        DoctorCheck("disk", .files) { freeSpace($0) },
        DoctorCheck("map", .space) { map($0) },
        DoctorCheck("cap", .space) { cap($0) },
        DoctorCheck("damaged-writes", .outbox) { damagedWrites($0) },
        DoctorCheck("damaged-filters", .sync) { damagedFilters($0) },
        DoctorCheck("dead-letters", .outbox) { deadLetters($0) },
        DoctorCheck("unresolved", .outbox) { unresolved($0) },
        DoctorCheck("snapshots", .sync) { failedSnapshots($0) },
        DoctorCheck("conflicted", .outbox) { conflicted($0) },
        DoctorCheck("sign-in", .outbox) { withoutSignIn($0) },
        DoctorCheck("content-account", .owners) { contentAccount($0) },
        DoctorCheck("servers", .owners) { servers($0) },
        DoctorCheck("server-wait", .owners) { serverWait($0) },
        DoctorCheck("failed-runs", .sync) { failedRuns($0) },
        DoctorCheck("rejected-tokens", .sync) { rejectedTokens($0) },
        DoctorCheck("overdue", .sync) { overdue($0) },
        DoctorCheck("in-doubt", .outbox) { inDoubt($0) },
        DoctorCheck("old-writes", .outbox) { oldWrites($0) },
        DoctorCheck("readers", .space) { readers($0) },
        DoctorCheck("write-access", .files) { writeAccess($0) },
        DoctorCheck("damaged-copy", .files) { damagedCopy($0) },
        DoctorCheck("evictions", .journal) { evictions($0) },
        DoctorCheck("evicted", .space) { evicted($0) },
        DoctorCheck("never-synced", .sync) { neverSynced($0) },
        DoctorCheck("conflicts", .journal) { resolvedConflicts($0) },
        DoctorCheck("unused-pages", .space) { unusedPages($0) },
        DoctorCheck("garbage", .space) { garbage($0) },
        DoctorCheck("staging", .space) { staging($0) },
        DoctorCheck("leftovers", .files) { leftovers($0) },
    ]

    /// Returns the diagnoses of all checks whose facts could be read, the most important first.
    static func diagnoses(_ facts: DoctorFacts) -> [Diagnosis] {
        Diagnosis.sorted(
            all.filter { facts.has($0.part) }.flatMap { check in
                check.find(facts).map { found in
                    var found = found
                    found.check = check.name
                    return found
                }
            })
    }
}
