// Proves which facts of a store lead to which diagnosis, in which order, and with which exit status; no store is needed.

import LarderFormat
import LarderOutbox
import LarderStore
import Testing

@testable import cachetool

@Suite struct `The checks of doctor` {
    private static let now: Int64 = 1_767_225_600_000
    private static let day: Int64 = 86_400_000

    /// Facts of a store with nothing to report.
    private func facts(_ change: (inout DoctorFacts) -> Void = { _ in }) -> DoctorFacts {
        var facts = DoctorFacts(now: Self.now, redactor: Redactor(isOn: false, store: UUIDBytes(high: 0, low: 0)))
        facts.hasPages = true
        facts.space = SpaceFacts(fileSize: 409_600, usedPages: 90, pages: 100, storedSize: 300_000)
        facts.filters = [FilterFacts(name: "a:*", syncedAt: Self.now - Self.day)]
        facts.writes = WriteFacts()
        facts.owners = OwnerFacts()
        facts.journal = JournalFacts()
        change(&facts)
        return facts
    }

    private func found(_ change: (inout DoctorFacts) -> Void) -> [String] {
        DoctorCheck.diagnoses(facts(change)).map { "\($0.severity.rawValue) \($0.check)" }
    }

    private func id(_ number: UInt64) -> UUIDBytes { UUIDBytes(high: 4, low: number) }

    @Test func `find nothing where nothing is wrong`() {
        #expect(DoctorCheck.diagnoses(facts()).isEmpty)
        #expect(Diagnosis.status([]) == .ok)
    }

    @Test func `have names of their own`() {
        #expect(Set(DoctorCheck.all.map(\.name)).count == DoctorCheck.all.count)
    }

    @Test func `report the most important first, and those of one severity in the order of the table`() {
        let order = found { facts in
            facts.files.leftovers = [".larder-new-1"]
            facts.owners?.account = "ada"
            facts.filters?[0].failures = 1
            facts.writes?.writes = [
                .init(id: id(1), state: .rejected, createdAt: Self.now),
                .init(id: id(2), state: .unresolved, createdAt: Self.now),
            ]
            facts.failure = .init(text: "No.", status: .format)
            facts.damage = [
                .init(severity: .minor, table: "rows", kind: "count", consequence: "It is.", remedy: "Do.", count: 1)
            ]
        }
        #expect(
            order == [
                "broken open", "broken dead-letters", "broken unresolved", "attention content-account",
                "attention failed-runs", "note damage", "note leftovers",
            ])
    }

    @Test func `end with 2 for damage above all, and with 0 for what is not broken`() {
        func status(_ change: (inout DoctorFacts) -> Void) -> cachetool.ExitStatus {
            Diagnosis.status(DoctorCheck.diagnoses(facts(change)))
        }
        let rejected = WriteFacts.Write(id: id(1), state: .rejected)
        #expect(status { $0.writes?.writes = [rejected] } == .findings)
        #expect(status { $0.filters?[0].failures = 1 } == .ok)
        #expect(status { $0.failure = .init(text: "No.", status: .format) } == .format)
        #expect(
            status { facts in
                facts.writes?.writes = [rejected]
                facts.failure = .init(text: "No.", status: .system)
            } == .system)
        #expect(
            status { facts in
                facts.failure = .init(text: "No.", status: .system)
                facts.unreadable = [.init(part: .sync, reason: "x")]
            } == .damage)
    }

    @Test func `end with 2 for damage, wherever it is in the list`() {
        let other = Diagnosis(severity: .broken, found: "a", kept: "b", remedy: "c", status: .system)
        let damage = Diagnosis(severity: .broken, found: "a", kept: "b", remedy: "c", status: .damage)
        #expect(Diagnosis.status([other, damage]) == .damage && Diagnosis.status([other]) == .system)
    }

    @Test func `leave out a part that could not be read`() {
        let order = found { facts in
            facts.writes = nil
            facts.unreadable = [.init(part: .outbox, reason: "x")]
        }
        #expect(order == ["broken records"])
    }

    @Test func `of damage distinguish what is lost from what is minor`() {
        func damage(_ severity: Finding.Severity) -> DoctorFacts.Damage {
            .init(severity: severity, table: "rows", kind: "count", consequence: "It is.", remedy: "Do.", count: 3)
        }
        #expect(found { $0.damage = [damage(.minor)] } == ["note damage"])
        let broken = DoctorCheck.diagnoses(facts { $0.damage = [damage(.minor), damage(.damage)] })
        #expect(broken.map(\.severity) == [.broken, .note] && Diagnosis.status(broken) == .damage)
        #expect(broken[0].found == "Stored bytes are damaged: 3 findings of kind count in the table rows.")
        #expect(broken[0].kept.hasPrefix("It is.") && broken[0].remedy.contains("salvage"))
    }

    @Test func `of the outbox name each state once, with its first write`() {
        let writes: [WriteFacts.Write] = [
            .init(id: id(1), state: .failed, lastError: "no response"), .init(id: id(2), state: .failed),
            .init(id: id(3), state: .waiting, isInDoubt: true, createdAt: Self.now),
            .init(id: id(4), state: .conflicted, createdAt: Self.now),
            .init(id: id(5), createdAt: Self.now, reason: .account("bob")),
            .init(id: id(6), createdAt: Self.now, reason: .account("eve")),
            .init(id: id(7), createdAt: Self.now - 8 * Self.day, reason: .signIn("ada")),
        ]
        let all = DoctorCheck.diagnoses(facts { $0.writes?.writes = writes })
        #expect(
            all.map { "\($0.severity.rawValue) \($0.check)" } == [
                "broken dead-letters", "attention conflicted", "attention sign-in", "attention sign-in",
                "attention in-doubt", "attention old-writes",
            ])
        #expect(all[0].found == "2 writes failed, the first \(id(1)) (\"no response\").")
        #expect(all[0].remedy.contains("outbox retry STORE --all-failed"))
        #expect(all[2].found == "2 writes of 2 accounts not signed in.")
        #expect(all[5].found.hasPrefix("1 write older than 7 days"))
    }

    @Test func `of snapshots report each once, as broken where the same request fails again`() {
        let resource = ResourceKey("a", 1)
        let final = FilterFacts.FailedSnapshot(
            resource: resource, reason: "403", attempts: 4, isFinal: true, retryAt: 0)
        var filter = FilterFacts(name: "a:*", syncedAt: Self.now)
        filter.failed = [final]
        #expect(found { $0.filters = [filter, filter] } == ["broken snapshots"])
        filter.failed[0].isFinal = false
        filter.failed[0].retryAt = Self.now + 1000
        let all = DoctorCheck.diagnoses(facts { $0.filters = [filter] })
        #expect(all.map(\.severity) == [.attention])
        #expect(all[0].found == "The snapshot of a/1 failed 4 times in a row: 403.")
        #expect(all[0].remedy == "The app tries again at 2026-01-01T00:00:01.000Z.")
    }

    @Test func `of filters report failures, rejected tokens, age, and those never synced`() {
        let filters = [
            FilterFacts(name: "a:*", syncedAt: 0, failures: 2, lastError: "timeout", isOverdue: true),
            FilterFacts(name: "b:*", resyncs: 2),
        ]
        let all = DoctorCheck.diagnoses(facts { $0.filters = filters })
        #expect(all.map(\.check) == ["failed-runs", "rejected-tokens", "overdue", "never-synced"])
        #expect(all[0].found == "The filter a:* failed 2 times in a row, the last one with: timeout.")
        #expect(all[0].kept == "Its rows and its token are kept, as of 1970-01-01T00:00:00.000Z.")
        #expect(all[3].severity == .note)
    }

    @Test func `of servers report a wait that is not over, once for each origin`() {
        let owners = OwnerFacts(
            servers: [.sync: "https://a.test/content", .outbox: "https://a.test/write"],
            waits: [.sync: Self.now + 60_000, .outbox: Self.now + 60_000])
        let all = DoctorCheck.diagnoses(facts { $0.owners = owners })
        #expect(all.map(\.check) == ["server-wait"])
        #expect(all[0].found == "https://a.test requested a wait until 2026-01-01T00:01:00.000Z, 60 s from now.")
        #expect(found { $0.owners = .init(servers: owners.servers, waits: [.sync: Self.now]) }.isEmpty)
    }

    @Test func `of servers report different origins, above a note where writes wait`() {
        let owners = OwnerFacts(servers: [.sync: "https://a.test", .outbox: "https://b.test"])
        #expect(found { $0.owners = owners } == ["note servers"])
        let order = found { facts in
            facts.owners = owners
            facts.writes?.writes = [.init(id: id(1), createdAt: Self.now)]
        }
        #expect(order == ["attention servers"])
    }

    @Test func `of accounts report content of one that is not signed in`() {
        func session(_ state: StoredSession.State, _ account: String?) -> StoredSession {
            StoredSession(state: state, account: account, changedAt: 0, signedInAt: 0)
        }
        for (session, isFound) in [
            (session(.signedIn, "ada"), false), (session(.expired, "ada"), false), (session(.signedIn, "bob"), true),
            (session(.signedOut, "ada"), true), (nil, true),
        ] {
            let order = found { $0.owners = OwnerFacts(account: "ada", session: session) }
            #expect(order == (isFound ? ["attention content-account"] : []))
        }
    }

    @Test func `redact names, addresses and errors`() {
        let all = DoctorCheck.diagnoses(
            facts { facts in
                facts.redactor = Redactor(isOn: true, store: UUIDBytes(high: 1, low: 1))
                facts.filters = [
                    FilterFacts(
                        name: "hush", failures: 2, lastError: "hush", resyncs: 2, isOverdue: true,
                        failed: [.init(resource: ResourceKey("hush", 1), reason: "hush", retryAt: 0)])
                ]
                facts.writes?.writes = [
                    .init(id: id(1), state: .failed, lastError: "hush"), .init(id: id(2), reason: .account("hush")),
                    .init(id: id(3), state: .rejected, lastError: "hush"),
                    .init(id: id(4), isInDoubt: true, lastError: "hush"),
                ]
                facts.owners = OwnerFacts(
                    servers: [.sync: "https://hush.test", .outbox: "https://hush.example"],
                    waits: [.sync: Self.now + 1], account: "hush")
                facts.unreadable = [.init(part: .sync, reason: "hush")]
                facts.files.leftoversBeside = ["hush.new-7"]
            })
        #expect(all.count == 15)
        for diagnosis in all { #expect(!"\(diagnosis)".contains("hush"), "\(diagnosis.check)") }
    }
}
