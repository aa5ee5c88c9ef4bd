import ArgumentParser
import Foundation
import LarderFormat
import LarderStore

/// Shows a store at a glance, live.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a store at a glance, until it is interrupted.",
        discussion: """
            Shows the size of the file, each filter with its age and its problem, each lane of the outbox with the next \
            try and why, and what needs attention, as doctor finds it without verifying. On a terminal it draws over \
            itself; otherwise it prints a line whenever one of these changes. Only reads, while an app writes.

            EXAMPLE: cachetool watch /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "Print sizes and hashes in place of names and errors.")
    var redact = false

    func run() async throws {
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        let redactor = Redactor(isOn: redact, store: try opened.read { try $0.format().storeID })
        var display = LiveDisplay(empty: "")
        while true {
            try Interrupt.check()
            let now = Filters.now()
            let glance = try Glance(of: opened, at: store.store, now: now, redactor)
            try display.show(glance.entries)
            try? await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// The entries that `watch` shows of a store.
struct Glance {
    private(set) var entries: [LiveDisplay.Entry] = []

    init(of store: Store, at path: String, now: Int64, _ redactor: Redactor) throws {
        entries.append(.init(key: "store", line: "store: \(try Self.size(store))"))
        let (filters, lanes) = try store.read { view in
            (try StatusText.entries(view, now: now, redactor), try Self.lanes(view, now, redactor))
        }
        if filters.isEmpty { entries.append(.init(key: "filters", line: "no filters")) }
        entries += filters + lanes
        var facts = DoctorFacts(of: store, at: path, now: now, verifiesPages: false)
        facts.redactor = redactor
        let found = DoctorCheck.diagnoses(facts).filter { $0.severity != .note }
        for diagnosis in found {
            entries.append(
                .init(
                    key: "problem \(diagnosis.check) \(diagnosis.found)",
                    line: "\(diagnosis.severity.rawValue): \(diagnosis.found)"))
        }
    }

    /// Returns the size of the store in words, or that a record which it needs is damaged.
    private static func size(_ store: Store) throws -> String {
        do {
            let statistics = try store.statistics()
            return "\(sizeText(statistics.fileSize)), \(statistics.rows) rows, commit \(statistics.lastCommit)"
        } catch  where ExitStatus(error) == .damage {
            return "cannot be counted, because a record is damaged; verify prints where"
        }
    }

    /// Returns each lane with its number of writes, and why the first one is not accepted.
    private static func lanes(
        _ view: borrowing ReadView, _ now: Int64, _ redactor: Redactor
    ) throws -> [LiveDisplay.Entry] {
        let (entries, _) = try view.readableOutboxHeads()
        if entries.isEmpty { return [.init(key: "outbox", line: "outbox: empty")] }
        let wait = try view.serverWait(for: .outbox, now: now)
        let reasons = WaitReasons(try view.session(), entries, wait, now: now, redactor)
        return Dictionary(grouping: entries, by: \.lane).sorted { $0.key < $1.key }.map { lane, writes in
            let first = writes.first.map { reasons.sentence($0) } ?? ""
            return .init(
                key: "lane \(redactor.text(lane))",
                line: "lane \(redactor.text(lane)): \(countText(writes.count, "write")). \(first)")
        }
    }
}
