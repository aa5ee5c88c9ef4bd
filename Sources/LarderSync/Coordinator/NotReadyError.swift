internal import LarderFormat
public import LarderStore

/// Some of what a filter asks for is not here, and nothing under way will bring it; the rest is here.
public struct NotReadyError: Error, Hashable, Sendable {
    /// How ready the filter is.
    public let readiness: FilterReadiness
    /// The resources that are missing; ``ResourceReadiness/state`` and ``ResourceReadiness/failure`` say why.
    public let missing: [ResourceReadiness]

    /// Nil while something that is missing may be on its way.
    init?(_ readiness: FilterReadiness) {
        let missing = readiness.members.filter { !$0.isComplete && $0.state != .hidden }
        guard !missing.isEmpty, missing.allSatisfy(\.isStuck) else { return nil }
        self.readiness = readiness
        self.missing = missing
    }
}

extension NotReadyError: CustomStringConvertible {
    /// What is missing and why, in one line without content.
    public var description: String {
        let reasons = missing.prefix(3).map { member in
            "\(member.key) (\(member.failure?.reason ?? "its rows were evicted"))"
        }
        let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
        return "“\(readiness.filter)” is not ready: nothing under way brings \(reasons.joined(separator: ", "))\(more)."
    }
}
