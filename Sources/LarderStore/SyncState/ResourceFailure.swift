public import LarderFormat

/// A failure to bring in the snapshot of a resource.
public struct ResourceFailure: Hashable, Sendable {
    /// Group and number.
    public let resource: ResourceKey
    /// The reason, in one line without content.
    public let reason: String
    /// The attempts that failed in a row.
    public let attempts: Int
    /// When the last one failed, in milliseconds since 1970-01-01 UTC.
    public let failedAt: Int64
    /// Whether the same request will fail until something is changed: the server refuses it, or the rows cannot be
    /// named here.
    public let isFinal: Bool
    /// Whether the rows cannot be named here: runs continue without the resource.
    package let isSkipped: Bool

    package init(_ resource: ResourceKey, _ failure: SnapshotFailure) {
        self.resource = resource
        reason = failure.reason
        attempts = Int(clamping: failure.count)
        failedAt = failure.failedAt
        isFinal = failure.kind != .transient
        isSkipped = failure.kind == .unusable
    }
}

extension ResourceFailure {
    /// The time after so many failed attempts in a row until the next one begins by itself, in milliseconds: ten
    /// seconds at first, an hour at last.
    package static func retryDelay(afterAttempts attempts: Int) -> Int64 {
        let seconds: [Int64] = [10, 60, 300, 1800, 3600]
        return seconds[min(max(attempts, 1), seconds.count) - 1] * 1000
    }

    /// When the next attempt begins by itself, in milliseconds since 1970-01-01 UTC.
    public var retryAt: Int64 {
        let (time, isTooLarge) = failedAt.addingReportingOverflow(Self.retryDelay(afterAttempts: attempts))
        return isTooLarge ? .max : time
    }

    /// Whether it is too early for another attempt. A clock that was moved back delays none.
    package func isBackingOff(now: Int64) -> Bool { failedAt <= now && now < retryAt }
}

extension FilterReadiness {
    /// The members whose snapshots could not be brought in at the last attempt, with the reasons.
    public var failedMembers: [ResourceFailure] { members.compactMap(\.failure) }
}
