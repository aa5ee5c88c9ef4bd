public import LarderFormat

/// The reason to sync a filter.
///
/// ```swift
/// coordinator.trigger(.opened(ResourceKey("translations", 19)))  // read at once, refreshed in the background
/// coordinator.trigger(.push(ResourceFilter("recitations:*")))
/// coordinator.trigger(.launch)
/// ```
public enum SyncTrigger: Hashable, Sendable {
    /// The program was started, or returned to the foreground: changes are fetched in the background.
    case launch
    /// A reader opens a resource. Stored rows are shown at once, and refreshed in the background unless that was done
    /// recently; evicted rows are fetched again.
    case opened(ResourceKey)
    /// The server reports a change; nil for any filter.
    case push(ResourceFilter?)
    /// A manual request: at once, without the waits after failures; nil for every filter.
    case manual(ResourceFilter?)
    /// The credentials are new.
    case signedIn
}

/// The order in which filters that are due are synced.
///
/// ```swift
/// coordinator.add(ResourceFilter("translations:19,20"), priority: .high)
/// coordinator.add(ResourceFilter("recitations:*"), priority: .low)  // not over a metered network
/// ```
public enum SyncPriority: Hashable, Sendable, Comparable, CaseIterable {
    /// After the others, and in the background only with an unmetered network and normal power.
    case low
    /// In its turn.
    case normal
    /// Before the others.
    case high
}

/// The urgency of a filter's next run.
package enum SyncUrgency: Hashable, Sendable, Comparable {
    /// An update in the background is due.
    case background
    /// The host waits for content: a first bootstrap, a resource that was opened, a filter that is overdue.
    case urgent
    /// The user, or the host on behalf of the user, requests it.
    case manual
}
