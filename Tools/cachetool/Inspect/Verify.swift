import ArgumentParser
import LarderFormat
import LarderStore

/// Verifies a whole store.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every record of a store.",
        discussion: """
            Checks, in one read view, that every key and record decodes, every checksum, and that the tables agree \
            with each other. Prints each finding when it is found and ends with OK or the number of findings. Ends \
            with 1 when all findings are minor: the store works and the next sync repairs it; with 2 when data are \
            damaged.

            JSON: {severity, table, kind, location, message} for each finding, then {findings, entries, bytes, \
            generations}.

            EXAMPLE: cachetool verify /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var printing: OutputOptions

    func run() throws {
        let opened = try StoreArgument.open(store.store)
        defer { try? opened.close() }
        var progress = Progress("entries")
        var isDamaged = false
        // Locations contain keys. The format record may be damaged itself, so the hashes have no seed.
        let redactor = Redactor(isOn: printing.redact, store: UUIDBytes(high: 0, low: 0))
        let summary = try opened.verify(progress: { try progress.show($0, of: $1) }) { finding in
            progress.end()
            isDamaged = isDamaged || finding.severity == .damage
            try show(finding, redactor)
        }
        progress.end()
        if printing.json {
            try Terminal.print([
                "findings": .count(summary.findings), "entries": .count(summary.entries),
                "bytes": .integer(summary.bytes), "generations": .count(summary.generations),
            ])
        } else {
            try Terminal.print(summary.findings == 0 ? "OK" : "\(summary.findings) findings")
        }
        if summary.findings > 0 { throw (isDamaged ? ExitStatus.damage : .findings).code }
    }

    private func show(_ finding: Finding, _ redactor: Redactor) throws {
        if printing.json {
            try Terminal.print([
                "severity": .string(finding.severity.rawValue), "table": .string(finding.table),
                "kind": .string(finding.kind.rawValue), "location": redactor.json(finding.location),
                "message": redactor.isOn ? .null : .string(finding.message),
            ])
        } else {
            let rest = redactor.isOn ? redactor.text(finding.location) : "\(finding.location): \(finding.message)"
            try Terminal.print("\(finding.severity.rawValue) \(finding.table) \(finding.kind.rawValue) at \(rest)")
        }
    }
}
