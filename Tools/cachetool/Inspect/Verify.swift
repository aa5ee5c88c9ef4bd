public import ArgumentParser
import LarderFormat
import LarderStore

/// Verifies a whole store.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every page and record of a store.",
        discussion: """
            Checks, in one read view, that every page is one that LMDB wrote there, that every key and record decodes, \
            every checksum, and that the tables agree with each other. Prints each finding when it is found and ends \
            with OK or the number of findings. Ends with 1 when all findings are minor: the store works, and compact \
            corrects a wrong stored size; with 2 when data are damaged. Records are checked only where no page is \
            damaged.

            JSON: {severity, table, kind, page, location, message, consequence, remedy} for each finding, then \
            {findings, entries, bytes, generations}.

            EXAMPLE: cachetool verify /data/store

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var printing: OutputOptions
    @Flag(help: "How much to check; each includes those before it.") var level = VerifyLevel.meaning

    func run() throws {
        var progress = Progress("pages and entries")
        var isDamaged = false
        // Locations contain keys. The format record may be damaged itself, so the hashes have no seed.
        let redactor = Redactor(isOn: printing.redact, store: UUIDBytes(high: 0, low: 0))
        let summary = try verify(&progress) { finding in
            isDamaged = isDamaged || finding.severity == .damage
            try show(finding, redactor)
        }
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

    private func verify(
        _ progress: inout Progress, _ report: (Finding) throws -> Void
    ) throws -> VerifySummary {
        defer { progress.end() }
        let path = try DiagnosticFile.directory(of: store.store)
        try StoreArgument.check(path)
        // An open reads records, which liblmdb may not survive on damaged pages.
        let found = try StoreArgument.whileLocked {
            try Store.pageFindings(level, at: path) { try progress.show($0, of: $1) }
        }
        if let found, level < .records || found.contains(where: \.endsChecks) {
            progress.end()
            for finding in found { try report(finding) }
            return VerifySummary(findings: found.count)
        }
        let opened = try StoreArgument.open(path)
        defer { try? opened.close() }
        return try opened.verify(level, progress: { try progress.show($0, of: $1) }) { finding in
            progress.end()
            try report(finding)
        }
    }

    private func show(_ finding: Finding, _ redactor: Redactor) throws {
        if printing.json {
            try Terminal.print([
                "severity": .string(finding.severity.rawValue), "table": .string(finding.table),
                "kind": .string(finding.kind.rawValue), "page": finding.page.map { .count($0) } ?? .null,
                "location": redactor.json(finding.location),
                "message": redactor.isOn ? .null : .string(finding.message),
                "consequence": .string(finding.consequence), "remedy": .string(finding.remedy),
            ])
        } else {
            let rest = redactor.isOn ? redactor.text(finding.location) : "\(finding.location): \(finding.message)"
            let name = "\(finding.severity.rawValue) \(finding.table) \(finding.kind.rawValue)"
            try Terminal.print("\(name) at \(rest). \(finding.consequence) \(finding.remedy)")
        }
    }
}

extension VerifyLevel: EnumerableFlag {}
