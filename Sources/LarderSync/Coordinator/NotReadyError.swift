internal import LarderFormat
public import LarderStore

/// An error for resources of a filter that are not in the store and that nothing under way will bring.
///
/// Such a resource was evicted, its rows cannot be named, the server refuses its snapshot, or that failed three times
/// in a row. All other known resources of the filter are in the store. After a failed run, later pages may not have
/// been listed yet.
public struct NotReadyError: Error, Hashable, Sendable {
    /// The readiness of the filter.
    public let readiness: FilterReadiness
    /// The missing resources; `ResourceReadiness.state` and `ResourceReadiness.failure` give the reasons.
    public let missing: [ResourceReadiness]

    /// The error for a filter; nil while a missing resource may still arrive.
    init?(_ readiness: FilterReadiness) {
        let missing = readiness.members.filter { $0.isMissing(in: readiness) }
        guard !missing.isEmpty, missing.allSatisfy({ $0.isStuck || $0.isComplete && $0.hasPersistentFailure }) else {
            return nil
        }
        self.readiness = readiness
        self.missing = missing
    }
}

extension ResourceReadiness {
    /// Whether the filter lacks it: it is not in the store, or it is there by another filter and the first bootstrap
    /// cannot fetch it again.
    fileprivate func isMissing(in filter: FilterReadiness) -> Bool {
        if state == .hidden { return false }
        return !isComplete || filter.syncedAt == nil && isFinishedInRun == false && failure != nil
    }
}

extension NotReadyError: CustomStringConvertible {
    /// The missing resources and the reasons, in one line without content.
    public var description: String {
        let reasons = missing.prefix(3).map { member in
            "\(member.key) (\(member.failure?.reason ?? "its rows were evicted"))"
        }
        let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
        return
            "“\(readiness.filter)” is not ready: nothing under way will fetch \(reasons.joined(separator: ", "))\(more)."
    }
}
