import ArgumentParser

/// Looks at everything that commonly goes wrong.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what is wrong with a store, the most important first.",
        discussion: """
            Looks at damage, free space, the map, the cap, unsent writes, failed snapshots and runs, servers and their \
            waits, accounts, evictions, unused pages and leftover files. Prints for each thing what was found, what was \
            kept, and what to do: first what is broken (it is lost, or does not go on until somebody acts), then what \
            needs attention, then notes, which need nothing. Only reads, also while an app has the store open, and \
            reads what it can of a damaged one. The app's cap is not in the store: name it with --cap.

            Pages are checked as by verify --quick, in a time that hardly grows with the store. --verify reads every \
            page and record, as verify does: only that finds a damaged row.

            Ends with 0 where nothing is broken, with 2 when data are damaged, with 3 or 4 when the store could not be \
            opened for another reason, and otherwise with 1.

            JSON: {severity, check, found, kept, remedy} for each, then {broken, attention, note, checks: [NAME], \
            unread: [NAME]}, the checks that were made, and those whose records could not be read.

            EXAMPLE: cachetool doctor /data/store --verify

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "Verify every page and record.")
    var verify = false
    @Option(help: "The app's StoreOptions.sizeCap, in bytes.")
    var cap: Int64?
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if let cap, cap <= 0 { throw ValidationError("A cap is 1 byte or more.") }
    }

    func run() throws {
        let facts = try DoctorFacts(of: store.store, isThorough: verify, cap: cap, isRedacted: printing.redact)
        let found = DoctorCheck.diagnoses(facts)
        let made = DoctorCheck.all.filter { facts.has($0.part) }.map(\.name)
        let unread = DoctorCheck.all.filter { !facts.has($0.part) }.map(\.name)
        if printing.json {
            for diagnosis in found { try Terminal.print(json(diagnosis)) }
            try Terminal.print(summary(found, made, unread))
        } else {
            for line in found.flatMap({ lines($0) }) + ending(found, made, unread) { try Terminal.print(line) }
        }
        let status = Diagnosis.status(found)
        if status != .ok { throw status.code }
    }

    private func lines(_ diagnosis: Diagnosis) -> [String] {
        [
            "\(diagnosis.severity.rawValue) \(diagnosis.check): \(diagnosis.found)",
            "    kept: \(diagnosis.kept)",
            "    to do: \(diagnosis.remedy)",
        ]
    }

    private func ending(_ found: [Diagnosis], _ made: [String], _ unread: [String]) -> [String] {
        let counts = Diagnosis.Severity.allCases.map { severity in
            "\(found.count { $0.severity == severity }) \(severity.rawValue)"
        }
        let result = found.isEmpty ? "OK, nothing found" : counts.joined(separator: ", ")
        let depth = verify ? "" : " Rows were not verified: --verify does."
        let left = unread.isEmpty ? "" : " Could not be read: \(unread.joined(separator: ", "))."
        return ["\(result). Looked at: \(made.joined(separator: ", ")).\(left)\(depth)"]
    }

    private func json(_ diagnosis: Diagnosis) -> JSON {
        [
            "severity": .string(diagnosis.severity.rawValue), "check": .string(diagnosis.check),
            "found": .string(diagnosis.found), "kept": .string(diagnosis.kept), "remedy": .string(diagnosis.remedy),
        ]
    }

    private func summary(_ found: [Diagnosis], _ made: [String], _ unread: [String]) -> JSON {
        let counts = Diagnosis.Severity.allCases.map { severity in
            JSON.Member(name: severity.rawValue, value: .count(found.count { $0.severity == severity }))
        }
        return .object(
            counts + [
                JSON.Member(name: "checks", value: .array(made.map { .string($0) })),
                JSON.Member(name: "unread", value: .array(unread.map { .string($0) })),
            ])
    }
}
