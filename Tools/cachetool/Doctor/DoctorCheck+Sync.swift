import LarderFormat
import LarderStore
import LarderTransport

// The checks of syncing: filters, snapshots, servers, and the account of the content.

extension DoctorCheck {
    static func damagedFilters(_ facts: DoctorFacts) -> [Diagnosis] {
        if facts.damagedFilters.isEmpty { return [] }
        let names = facts.damagedFilters.map { $0.name(facts.redactor) }.joined(separator: ", ")
        return [
            Diagnosis(
                severity: .broken, found: "A record of \(names) is damaged.",
                kept: "The rows and the other filters are kept; these were left out of the checks of syncing.",
                remedy: "The next sync of the filter by an app repairs it, and fetches what it lacks.", status: .damage)
        ]
    }

    /// Members of filters whose snapshots could not be stored, each once.
    static func failedSnapshots(_ facts: DoctorFacts) -> [Diagnosis] {
        var seen: Set<ResourceKey> = []
        return (facts.filters ?? []).flatMap(\.failed).filter { seen.insert($0.resource).inserted }.map { failed in
            let next =
                failed.retryAt > facts.now
                ? "The app tries again at \(timeText(failed.retryAt))." : "The app tries again when it syncs online."
            return Diagnosis(
                severity: failed.isFinal ? .broken : .attention,
                found: "The snapshot of \(facts.redactor.text(failed.resource)) failed "
                    + "\(countText(failed.attempts, "time")) in a row: \(facts.redactor.text(failed.reason)).",
                kept: "Rows that were stored before are kept and readable; later changes are not applied to them.",
                remedy: failed.isFinal
                    ? "Correct it on the server: the same request fails again until something is changed there." : next)
        }
    }

    static func failedRuns(_ facts: DoctorFacts) -> [Diagnosis] {
        (facts.filters ?? []).filter { $0.failures > 0 }.map { filter in
            let error = filter.lastError.map { ", the last one with: \(facts.redactor.text($0))" } ?? ""
            let next = filter.nextRunAt.flatMap { $0 > facts.now ? "at \(timeText($0))" : nil }
            return Diagnosis(
                severity: .attention,
                found: "The filter \(facts.redactor.text(filter.name)) failed "
                    + "\(countText(Int(clamping: filter.failures), "time")) in a row\(error).",
                kept: "Its rows and its token are kept, as of \(syncedText(filter)).",
                remedy: "It is tried again \(next ?? "as soon as an app syncs it online"); 'cachetool filters STORE' "
                    + "says why it waits.")
        }
    }

    static func rejectedTokens(_ facts: DoctorFacts) -> [Diagnosis] {
        (facts.filters ?? []).filter { $0.resyncs > 1 }.map { filter in
            Diagnosis(
                severity: .attention,
                found: "The server rejected \(filter.resyncs) tokens of the filter \(facts.redactor.text(filter.name)) "
                    + "in a row.",
                kept: "Its rows stay readable; everything is fetched anew each time, in runs that are far apart.",
                remedy: "Let the server keep its log longer than apps are offline, and look there for a changing "
                    + "epoch.")
        }
    }

    static func overdue(_ facts: DoctorFacts) -> [Diagnosis] {
        (facts.filters ?? []).filter(\.isOverdue).map { filter in
            Diagnosis(
                severity: .attention,
                found:
                    "The filter \(facts.redactor.text(filter.name)) was last synced \(syncedText(filter)), more than "
                    + "7 days ago.",
                kept: "Its rows are kept and readable, and as old as that.",
                remedy: "Let the app run online, or run 'cachetool sync STORE SERVER FILTER'.")
        }
    }

    static func neverSynced(_ facts: DoctorFacts) -> [Diagnosis] {
        let names = (facts.filters ?? []).filter { $0.syncedAt == nil }.map { facts.redactor.text($0.name) }
        guard let first = names.first else { return [] }
        return [
            Diagnosis(
                severity: .note,
                found: "\(countText(names.count, "filter")) without a finished run, the first \(first).",
                kept: "What was fetched so far is kept, and a run continues there.",
                remedy: "Let the app run online; 'cachetool filters STORE' says what is to go.")
        ]
    }

    /// Kinds of content that belong to servers with different origins.
    static func servers(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let owners = facts.owners else { return [] }
        let origins = ServerContent.allCases.compactMap { content in
            owners.servers[content].map { (content, BaseURL($0)?.origin ?? $0) }
        }
        guard Set(origins.map { Array($0.1.utf8) }).count > 1 else { return [] }
        let list = origins.map { "\($0.0.rawValue) to \(facts.redactor.text($0.1))" }.joined(separator: ", ")
        let hasWrites = facts.writes?.writes.isEmpty == false
        return [
            Diagnosis(
                severity: hasWrites ? .attention : .note, found: "Content belongs to different servers: \(list).",
                kept: "All of it is kept; each part is used with its own server only.",
                remedy: "If they are one server, call Store.adopt(_:) with the ServerMismatch; otherwise nothing.")
        ]
    }

    /// The waits that servers requested, each origin once.
    static func serverWait(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let owners = facts.owners else { return [] }
        var seen: Set<String> = []
        return ServerContent.allCases.compactMap { content in
            guard let until = owners.waits[content], until > facts.now, let server = owners.servers[content],
                let origin = BaseURL(server)?.origin, seen.insert(origin).inserted
            else { return nil }
            return Diagnosis(
                severity: .attention,
                found: "\(facts.redactor.text(origin)) requested a wait until \(timeText(until)), "
                    + "\(durationText(until - facts.now)) from now.",
                kept: "Rows and unsent writes are kept; nothing is sent to this server before.",
                remedy: "Wait: the app goes on by itself then.")
        }
    }

    /// Content of an account that is not signed in.
    static func contentAccount(_ facts: DoctorFacts) -> [Diagnosis] {
        guard let owners = facts.owners, let account = owners.account else { return [] }
        let present = owners.session.flatMap { $0.state == .signedOut ? nil : $0.account }
        if present?.equalsBytewise(account) == true { return [] }
        let who = present.map { ", and \(facts.redactor.text($0)) is signed in" } ?? ", and no account is signed in"
        return [
            Diagnosis(
                severity: .attention, found: "The content belongs to \(facts.redactor.text(account))\(who).",
                kept: "Its rows are kept; nothing is fetched for it.",
                remedy: "Sign in that account, or call Store.clear(discardingUnsent:) to begin with another one.")
        ]
    }

    private static func syncedText(_ filter: FilterFacts) -> String {
        filter.syncedAt.map { timeText($0) } ?? "what was fetched before a first finished run"
    }
}
