/// One thing that `doctor` reports: in one sentence each, what it is, what was kept or is at risk, and what to do.
struct Diagnosis: Hashable, Sendable {
    /// The importance of a diagnosis, the highest first.
    enum Severity: String, Hashable, Sendable, CaseIterable {
        /// Something is lost, cannot be read, or does not go on until somebody acts.
        case broken
        /// Everything works, and something waits or gets worse.
        case attention
        /// Nothing has to be done.
        case note
    }

    /// The name of the check that found it.
    var check = ""
    /// The importance.
    let severity: Severity
    /// The description, with numbers.
    let found: String
    /// The content that was kept, or is at risk.
    let kept: String
    /// The command, or the call of the app, that helps.
    let remedy: String
    /// The exit status of a run that found it, where it is broken.
    var status = ExitStatus.findings
}

extension Diagnosis {
    /// Returns all in the order of their severity; those of one severity stay in their order.
    static func sorted(_ found: [Diagnosis]) -> [Diagnosis] {
        Severity.allCases.flatMap { severity in found.filter { $0.severity == severity } }
    }

    /// The exit status of a run with these diagnoses: damage above all, and 0 where nothing is broken.
    static func status(_ found: [Diagnosis]) -> ExitStatus {
        let statuses = found.filter { $0.severity == .broken }.map(\.status)
        if statuses.contains(.damage) { return .damage }
        return statuses.first { $0 != .findings } ?? statuses.first ?? .ok
    }
}

/// Returns a number with its noun.
func countText(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
}

/// Returns a number with a comma after each three digits: `1,000,000`.
func groupedText(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number.magnitude))
    let groups = stride(from: digits.count % 3 == 0 ? 0 : digits.count % 3 - 3, to: digits.count, by: 3)
        .map { String(digits[max(0, $0)..<($0 + 3)]) }
    return (number < 0 ? "-" : "") + groups.joined(separator: ",")
}

/// Returns a number of bytes in a unit that leaves two digits at least.
func sizeText(_ bytes: Int64) -> String {
    if bytes < 1000 { return "\(bytes) bytes" }
    var (size, unit) = (Double(bytes), 0)
    while size >= 999.5, unit < 4 { (size, unit) = (size / 1000, unit + 1) }
    let digits = size < 9.95 ? String((size * 10).rounded() / 10) : String(Int(size.rounded()))
    return "\(digits) \(["bytes", "KB", "MB", "GB", "TB"][unit])"
}
