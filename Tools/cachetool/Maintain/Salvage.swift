import ArgumentParser
import Larder
import LarderFormat
import LarderStore

/// Saves what can still be read of a damaged store.
struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a new store of what can still be read of a damaged one.",
        discussion: """
            Reads every page of the store's file, which it leaves as it is, and keeps each record whose checksum fits. \
            The next sync of the new store fetches again what is lost of the server's content; writes of the outbox \
            keep their identities and their order. The new store appears only when it is complete. Refuses while a \
            process has the store open. Do not use the old store and the new one both: the outbox of each would be sent.

            Ends with 0 when nothing is lost, with 1 when something is: what the report names, and what was on damaged \
            pages.

            JSON: {pages, damagedPages, damagedRecords, records, writes, lostWrites: [ID], incompleteResources: [{group, id}], \
            resyncedFilters: [FILTER], droppedResponses, droppedCollections, lostAccount, findings}.

            EXAMPLE: cachetool salvage /data/store --to /data/saved

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: "The directory of the new store, which must be free.", completion: .directory)
    var to: String
    @OptionGroup var printing: OutputOptions

    func run() throws {
        try StoreArgument.check(store.store)
        var progress = Progress("pages")
        var found: SalvageReport?
        try KeyArgument.withEncryption { encryption in
            try StoreArgument.whileLocked {
                try NewFile.directory(to) { aside in
                    found = try Store.salvage(
                        at: store.store, to: aside, host: .system(logger: .tool), encryption: encryption,
                        compression: .tool, lockTimeout: StoreArgument.lockStep,
                        progress: { try progress.show($0, of: $1) })
                }
            }
        }
        progress.end()
        guard let report = found else { preconditionFailure("a salvage ended without a report") }
        // The format record may be damaged itself, so the hashes have no seed.
        let redactor = Redactor(isOn: printing.redact, store: UUIDBytes(high: 0, low: 0))
        if printing.json {
            try Terminal.print(json(report, redactor))
        } else {
            for line in lines(report, redactor) { try Terminal.print(line) }
        }
        if report.isComplete { return }
        throw ExitStatus.findings.code
    }

    private func lines(_ report: SalvageReport, _ redactor: Redactor) -> [String] {
        var lines = [
            "\(report.recordCount) records saved of \(report.pageCount) pages",
            "\(report.damagedPageCount) damaged pages, and \(report.damagedRecordCount) damaged records on others",
            "\(report.writeCount) writes saved, \(report.lostWrites.count) lost",
        ]
        lines += report.lostWrites.map { "lost write: \($0)" }
        lines += report.incompleteResources.map { "to be fetched again: \(redactor.text($0))" }
        lines += report.resyncedFilters.map { "filter that begins again: \(redactor.text($0))" }
        if report.droppedResponses > 0 { lines.append("\(report.droppedResponses) responses dropped") }
        if report.hasDroppedCollections { lines.append("all stored answers of queries dropped") }
        if report.hasLostAccount {
            lines.append("the session or the account of the content may be lost: look at stat before the store is used")
        }
        if report.findings > 0 { lines.append("\(report.findings) findings are left: run verify on the new store") }
        return lines
    }

    private func json(_ report: SalvageReport, _ redactor: Redactor) -> JSON {
        [
            "pages": .count(report.pageCount), "damagedPages": .count(report.damagedPageCount),
            "damagedRecords": .count(report.damagedRecordCount), "records": .count(report.recordCount),
            "writes": .count(report.writeCount),
            "lostWrites": .array(report.lostWrites.map { .string("\($0)") }),
            "incompleteResources": .array(
                report.incompleteResources.map { ["group": redactor.json($0.group), "id": redactor.json($0.id)] }),
            "resyncedFilters": .array(report.resyncedFilters.map { redactor.json($0) }),
            "droppedResponses": .count(report.droppedResponses),
            "droppedCollections": .bool(report.hasDroppedCollections),
            "lostAccount": .bool(report.hasLostAccount), "findings": .count(report.findings),
        ]
    }
}
