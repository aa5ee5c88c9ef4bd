public import LarderFormat

/// Why a filter is to be synced.
public enum SyncTrigger: Hashable, Sendable {
    /// The program was started, or comes back to the foreground: what has changed, in the background.
    case launch
    /// A reader opens a resource. What is here is shown at once, and refreshed behind when it was not lately; what was
    /// evicted is fetched again.
    case opened(ResourceKey)
    /// The server says that something has changed; nil for any filter.
    case push(ResourceFilter?)
    /// Somebody asks for it: at once, whatever was waited for; nil for every filter.
    case manual(ResourceFilter?)
    /// The credentials are new.
    case signedIn
}

/// Which of the filters that are due is synced first.
public enum SyncPriority: Hashable, Sendable, Comparable, CaseIterable {
    /// When nothing else is to be done, and in the background only where the network costs nothing and power is no
    /// question.
    case low
    /// In its turn.
    case normal
    /// Before the others.
    case high
}

/// How much a filter's next run is wanted.
package enum SyncWant: Hashable, Sendable, Comparable {
    /// It is time for news.
    case background
    /// The host waits for content: a first bootstrap, a resource that was opened, a filter that is overdue.
    case asked
    /// A person, or the host on behalf of one, asks.
    case manual
}
