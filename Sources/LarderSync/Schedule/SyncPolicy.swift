public import LarderTransport

/// When the coordinator syncs by itself, and what the state of network and battery lets it do.
public struct SyncPolicy: Sendable {
    /// How long after a run the next one is due; nil for none by time.
    public var refreshInterval: Duration? = .seconds(15 * 60)
    /// What ``refreshInterval`` is multiplied with while power is short; 1 or more.
    public var saverFactor: Int = 2
    /// A resource that is opened, or a network that returns, asks for a run only when the last one is this long ago.
    public var minimumAge: Duration = .seconds(60)
    /// How long after the last run a filter is overdue: it is reported, and synced also where traffic is to be little.
    ///
    /// Content Sync lets what it covers be kept as long as it is synced every seven days.
    public var overdueAfter: Duration = .seconds(7 * 24 * 3600)
    /// Filters that are run at the same time.
    public var concurrentRuns: Int = 2
    /// The waits after failures that may pass by themselves.
    public var retry = RetryPolicy(first: .seconds(1), limit: .seconds(300))
    /// The waits after failures that somebody has to mend, such as a refused request.
    public var refusedRetry = RetryPolicy(first: .seconds(3600), limit: .seconds(24 * 3600))
    /// The longest time that a server's `Retry-After` is believed.
    public var maximumRetryAfter: Duration = .seconds(24 * 3600)
    /// How many tokens in a row may be rejected before a filter goes slow.
    public var resyncsBeforeSlow: Int = 3
    /// The waits of a filter that goes slow.
    public var slow = RetryPolicy(first: .seconds(3600), limit: .seconds(24 * 3600))
    /// The waits between looks for a way past a captive portal.
    public var probe = RetryPolicy(first: .seconds(5), limit: .seconds(60))

    /// The policy of an app on a phone; every part may be changed.
    public init() {}
}

extension SyncPolicy {
    /// Whether every part is within its range; a coordinator traps on one that is not.
    var isSound: Bool {
        let waits = [retry, refusedRetry, slow, probe]
        return (refreshInterval.map { $0 > .zero } ?? true) && saverFactor >= 1 && minimumAge >= .zero
            && overdueAfter > .zero && concurrentRuns >= 1 && maximumRetryAfter >= .zero && resyncsBeforeSlow >= 1
            && waits.allSatisfy { $0.first > .zero && $0.limit >= $0.first && (0...1).contains($0.jitter) }
    }
}

/// What may be done under the conditions of a moment; each level includes those before it.
public enum SyncAllowance: Hashable, Sendable, Comparable {
    /// Nothing: there is no network.
    case nothing
    /// What somebody asks for by hand.
    case manual
    /// And what is waited for: first bootstraps, opened resources, overdue filters.
    case asked
    /// And what is due in the background, but for filters of low priority.
    case normal
    /// Everything.
    case everything

    /// What network and power allow together: the lesser of the two.
    ///
    /// | | online | metered | constrained | offline |
    /// | --- | --- | --- | --- | --- |
    /// | normal | everything | normal | asked | nothing |
    /// | saver | normal | normal | asked | nothing |
    /// | critical | manual | manual | manual | nothing |
    public init(network: NetworkLevel, power: PowerState) {
        let byNetwork: SyncAllowance =
            switch network {
            case .online: .everything
            case .metered: .normal
            case .constrained: .asked
            case .offline: .nothing
            }
        let byPower: SyncAllowance =
            switch power {
            case .normal: .everything
            case .saver: .normal
            case .critical: .manual
            }
        self = min(byNetwork, byPower)
    }

    /// What a want of a filter needs.
    init(neededFor want: SyncWant, _ priority: SyncPriority) {
        self =
            switch want {
            case .manual: .manual
            case .asked: .asked
            case .background: priority == .low ? .everything : .normal
            }
    }
}
