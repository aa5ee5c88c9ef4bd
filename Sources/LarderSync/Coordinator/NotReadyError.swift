internal import LarderFormat
public import LarderStore

/// Some of what a filter asks for is not here: it was evicted, its rows cannot be named here, the server refuses its
/// snapshot, or that failed three times in a row.
///
/// The rest of what the filter is known to hold is here. Where a run has failed, later pages may not have been listed yet.
public struct NotReadyError: Error, Hashable, Sendable {
    /// How ready the filter is.
    public let readiness: FilterReadiness
    /// The resources that are missing; ``ResourceReadiness/state`` and ``ResourceReadiness/failure`` say why.
    public let missing: [ResourceReadiness]

    /// Nil while something that is missing may be on its way.
    init?(_ readiness: FilterReadiness) {
        let missing = readiness.members.filter { $0.isMissing(in: readiness) }
        guard !missing.isEmpty, missing.allSatisfy({ $0.isStuck || $0.isComplete && $0.hasLastingFailure }) else {
            return nil
        }
        self.readiness = readiness
        self.missing = missing
    }
}

extension ResourceReadiness {
    /// Whether the filter waits for it: it is not here, or it is here by another filter's doing and the first bootstrap
    /// of this one, which needs it anew, cannot get it.
    fileprivate func isMissing(in filter: FilterReadiness) -> Bool {
        if state == .hidden { return false }
        return !isComplete || filter.syncedAt == nil && isFinishedInRun == false && failure != nil
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
