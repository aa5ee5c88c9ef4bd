public import LarderTransport

/// The rules by which the coordinator syncs automatically.
public struct SyncPolicy: Sendable {
    /// The time after a run at which the next one is due, varied by ``refreshJitter``; nil for none by time.
    public var refreshInterval: Duration? = .seconds(15 * 60)
    /// The largest share by which ``refreshInterval`` is randomly shortened or lengthened, 0 or more and less than 1.
    ///
    /// Without it, clients that were synced in the same second would return in the same second for ever.
    public var refreshJitter = 0.1
    /// The factor of ``refreshInterval`` while power is short; 1 or more.
    public var saverFactor: Int = 2
    /// The age of the last run from which an opened resource, or a returning network, requests another; a failed run is
    /// repeated at any age.
    public var minimumAge: Duration = .seconds(60)
    /// The time after the last run at which a filter is overdue: it is reported, and synced also where traffic should
    /// be low.
    ///
    /// Content Sync permits its content to be kept as long as it is synced every seven days.
    public var overdueAfter: Duration = .seconds(7 * 24 * 3600)
    /// The number of filters that are run at the same time.
    public var concurrentRuns: Int = 2
    /// The waits after failures that may resolve by themselves. Its jitter also lengthens the wait of a `Retry-After` for
    /// automatic runs.
    public var retry = RetryPolicy(first: .seconds(1), limit: .seconds(300))
    /// The waits after failures that have to be resolved first, such as a refused request.
    public var refusedRetry = RetryPolicy(first: .seconds(3600), limit: .seconds(24 * 3600))
    /// The longest wait that a server's `Retry-After` may request.
    public var maximumRetryAfter: Duration = .seconds(24 * 3600)
    /// The number of tokens rejected in a row at which a filter is slowed down.
    public var resyncsBeforeSlow: Int = 3
    /// The waits of a filter that is slowed down.
    public var slow = RetryPolicy(first: .seconds(3600), limit: .seconds(24 * 3600))
    /// The waits between probes for a way past a captive portal.
    public var probe = RetryPolicy(first: .seconds(5), limit: .seconds(60))

    /// Whether the coordinator keeps a connection open while it runs, over which the server reports changes: they arrive
    /// within a second, and not at the next ``refreshInterval``. It is closed while power or network are short.
    ///
    /// Needs a server that has the events of this library's server; without them everything works by
    /// ``refreshInterval``.
    public var listensForChanges = false
    /// The waits before that connection is opened, also for the first time and after it was ended. With a jitter of 1,
    /// the clients of a server that was restarted return evenly over the first wait.
    public var listenRetry = RetryPolicy(first: .seconds(5), limit: .seconds(300), jitter: 1)

    /// The policy of an app on a phone; every part may be changed.
    public init() {}
}

extension SyncPolicy {
    /// Whether every part is within its range; a coordinator traps on one that is not.
    var isValid: Bool {
        let waits = [retry, refusedRetry, slow, probe, listenRetry]
        return (refreshInterval.map { $0 > .zero } ?? true) && saverFactor >= 1
            && (0..<1).contains(refreshJitter) && minimumAge >= .zero
            && overdueAfter > .zero && concurrentRuns >= 1 && maximumRetryAfter >= .zero && resyncsBeforeSlow >= 1
            && waits.allSatisfy { $0.first > .zero && $0.limit >= $0.first && (0...1).contains($0.jitter) }
    }
}

/// The runs that are allowed under the present conditions; each level includes those before it.
public enum SyncAllowance: Hashable, Sendable, Comparable {
    /// Nothing: there is no network.
    case nothing
    /// Manual requests.
    case manual
    /// Manual requests, and runs that are waited for: first bootstraps, opened resources, overdue filters.
    case urgent
    /// All of these, and runs that are due in the background, except those of filters with low priority.
    case normal
    /// Everything.
    case everything

    /// The level that network and power allow together: the lesser of the two.
    ///
    /// | | online | metered | constrained | offline |
    /// | --- | --- | --- | --- | --- |
    /// | normal | everything | normal | urgent | nothing |
    /// | saver | normal | normal | urgent | nothing |
    /// | critical | manual | manual | manual | nothing |
    public init(network: NetworkLevel, power: PowerState) {
        let byNetwork: SyncAllowance =
            switch network {
            case .online: .everything
            case .metered: .normal
            case .constrained: .urgent
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

    /// The level that a run of a filter needs.
    init(neededFor urgency: SyncUrgency, _ priority: SyncPriority) {
        self =
            switch urgency {
            case .manual: .manual
            case .urgent: .urgent
            case .background: priority == .low ? .everything : .normal
            }
    }
}
