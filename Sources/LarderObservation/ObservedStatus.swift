public import Larder
public import Observation

/// The progress of content that is kept in sync, as a value that a user interface observes.
///
/// ```swift
/// let verses = ObservedProgress(cache, keeping: "translations:*")
/// print(verses.progress.fraction ?? 0, verses.progress)
/// ```
@MainActor @Observable
public final class ObservedProgress {
    /// The progress; the last one where it ended, ready or with a problem.
    public private(set) var progress = KeepProgress()
    /// Whether the content is on its way; false when everything is ready, and when a problem has to be resolved first.
    public private(set) var isUnderWay = true
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored private let values: () -> AsyncStream<KeepProgress>

    /// Keeps the content of a filter in sync from now on, also when this object is gone; see
    /// `ContentCache.keep(_:priority:)`.
    ///
    /// - Precondition: The cache was opened with a content server.
    public init(_ cache: ContentCache, keeping filter: ResourceFilter, priority: SyncPriority = .normal) {
        values = { cache.keep(filter, priority: priority) }
        tryAgain()
    }

    /// Tries again at once, after a problem was resolved.
    public func tryAgain() {
        following?.cancel()
        isUnderWay = true
        if progress != KeepProgress() { progress = KeepProgress() }
        let values = values()
        following = Task { [weak self] in
            for await progress in values {
                guard let self, !Task.isCancelled else { return }
                self.progress = progress
            }
            if !Task.isCancelled { self?.isUnderWay = false }
        }
    }

    deinit { following?.cancel() }
}

/// The writes that the server lacks, as a value that a user interface observes.
///
/// ```swift
/// let writes = ObservedWrites(cache)
/// print(writes.status.unsent, "not saved on the server yet")
/// ```
@MainActor @Observable
public final class ObservedWrites {
    /// The status of the outbox.
    public private(set) var status: OutboxStatus
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Observes the outbox of a cache.
    ///
    /// - Precondition: The cache was opened with a server for writes.
    public init(_ cache: ContentCache) {
        guard let outbox = cache.outbox else { preconditionFailure("the cache was opened without a server for writes") }
        status = outbox.status
        let statuses = outbox.statuses()
        following = Task { [weak self] in
            for await status in statuses {
                guard let self else { return }
                if self.status != status { self.status = status }
            }
        }
    }

    deinit { following?.cancel() }
}

/// The account that is signed in, as a value that a user interface observes.
///
/// ```swift
/// let session = ObservedSession(cache)
/// print(session.status?.account ?? "nobody")
/// ```
@MainActor @Observable
public final class ObservedSession {
    /// The status of the session; nil until it is known.
    public private(set) var status: SessionStatus?
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Observes the session of a cache. The network and the number of unsent writes are followed while the cache runs.
    public init(_ cache: ContentCache) {
        let statuses = cache.session.statuses()
        following = Task { [weak self] in
            for await status in statuses {
                guard let self else { return }
                if self.status != status { self.status = status }
            }
        }
    }

    deinit { following?.cancel() }
}
