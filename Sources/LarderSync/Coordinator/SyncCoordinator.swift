internal import LarderFormat
public import LarderStore
public import LarderTransport
internal import Synchronization

/// A coordinator that keeps filters in sync with a server automatically; the host starts it once and reports events to
/// it.
///
/// Runs begin on a start, a network that returns, an opened resource, a push, the passing of time, and a manual
/// request. The state of network and battery decides which may run (``SyncAllowance``). Failed runs are retried later,
/// and at once when the network returns. Readers never wait for any of it.
///
/// A pure step function decides what to do and when; this class performs it.
///
/// ```swift
/// let coordinator = SyncCoordinator.system(
///     store: store, transport: transport, configuration: SyncConfiguration(base: base),
///     credentials: credentials)
/// coordinator.add(filter, priority: .high)
/// let running = Task { try await coordinator.run() }
/// let readiness = try await coordinator.waitUntilReady(filter)
/// print("readable offline as of", readiness.asOfSequence ?? 0)
/// running.cancel()
/// ```
public final class SyncCoordinator: Sendable {
    let store: Store
    let content: ContentSync
    let policy: SyncPolicy
    let connectivity: any ConnectivitySource
    let power: any PowerSource
    let probe: (any ReachabilityProbe)?
    let onEvent: @Sendable (SyncEvent) -> Void
    let state = Mutex(CoordinatorState())
    let timer: WakeTimer
    let statusBroadcast = StateBroadcast(CoordinatorState().status(at: ClockReading(elapsed: .zero, now: 0)))

    /// A coordinator that does not run yet; see ``run()`` and ``runOnce(within:)``.
    ///
    /// - Parameters:
    ///   - store: the store that receives rows and tokens.
    ///   - transport: sends the requests.
    ///   - configuration: the server, and the limits of a run.
    ///   - policy: the rules by which filters are synced automatically.
    ///   - credentials: supplies the header fields that authenticate a request; none by default.
    ///   - connectivity: the source of the network state.
    ///   - power: the source of the power state.
    ///   - probe: checks for a way past a captive portal; without one, a portal is waited for like other failures.
    ///   - onEvent: called with every event, on any thread; must be quick.
    public init(
        store: Store, transport: any Transport, configuration: SyncConfiguration, policy: SyncPolicy = SyncPolicy(),
        credentials: any Credentials = FixedCredentials(), connectivity: any ConnectivitySource,
        power: any PowerSource, probe: (any ReachabilityProbe)? = nil,
        onEvent: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) {
        self.store = store
        timer = WakeTimer(store.host.sleepUntil)
        content = ContentSync(
            store: store, transport: transport, configuration: configuration, credentials: credentials,
            maximumRetryAfter: policy.maximumRetryAfter, onEvent: onEvent)
        self.policy = policy
        self.connectivity = connectivity
        self.power = power
        self.probe = probe
        self.onEvent = onEvent
    }

    /// Keeps a filter in sync from now on, or from the start of the coordinator.
    ///
    /// A filter without a token is bootstrapped as soon as conditions allow it; one with a token is brought up to date
    /// in the background. Adding it again changes its priority, and tries again at once when its last run failed.
    ///
    /// - Precondition: the filter covers no resource of a list that was added.
    public func add(_ filter: ResourceFilter, priority: SyncPriority = .normal) {
        add(filter, priority, list: nil)
    }

    /// Keeps a list in sync from now on, page by page, by the same rules as a filter.
    ///
    /// The list counts as the filter that names its resource and nothing else (``PagedList/filter``), which must not be
    /// added besides. Adding it again changes its priority and its source.
    ///
    /// - Precondition: no filter that was added covers its resource.
    public func add(_ list: PagedList, priority: SyncPriority = .normal) {
        add(list.filter, priority, list: list)
    }

    private func add(_ filter: ResourceFilter, _ priority: SyncPriority, list: PagedList?) {
        let text = filter.description
        state.withLock { state in
            precondition(!state.overlaps(filter, list), "a filter covers the resource of a list: \(filter)")
            state.lists[text] = list
        }
        let known = knownFilters([text])[text] ?? KnownFilter()
        state.withLock { state in
            var isRetry = false
            if let index = state.filters.firstIndex(where: { $0.filter == filter }) {
                state.filters[index].priority = priority
                if case .failure? = state.loop?.outcomes[text] {
                    state.loop?.outcomes[text] = nil
                    isRetry = true
                }
            } else {
                state.filters.append((filter, priority))
            }
            state.loop?.events.yield(.added(filter, priority, known))
            if isRetry { state.loop?.events.yield(.trigger(.manual(filter))) }
        }
        publish(isProgress: false)
    }

    /// Stops keeping a filter in sync, and ends its run. Its content and token stay until `Store.removeFilter` removes
    /// them.
    public func remove(_ filter: ResourceFilter) {
        let text = filter.description
        let waiters = state.withLock { state in
            state.filters.removeAll { $0.filter == filter }
            state.lists[text] = nil
            state.loop?.events.yield(.removed(text))
            return state.waiters.removeValue(forKey: text) ?? []
        }
        for waiter in waiters { waiter.fulfil(.failure(.cancelled)) }
        publish(isProgress: false)
    }

    /// Reports an event. It is ignored while the coordinator does not run: a start syncs every filter.
    public func trigger(_ trigger: SyncTrigger) {
        state.withLock { state in _ = state.loop?.events.yield(.trigger(trigger)) }
    }

    /// Whether the host has forced the coordinator offline, whatever the network is like.
    ///
    /// Setting it ends the coordinator's runs after their current commit; they go on when it is unset. Runs that were
    /// requested while the coordinator did not run, or of filters that were not added, are not ended.
    public var isForcedOffline: Bool {
        get { state.withLock { $0.isForcedOffline } }
        set {
            state.withLock { state in
                state.isForcedOffline = newValue
                state.loop?.events.yield(.forcedOffline(newValue))
            }
            publish(isProgress: false)
        }
    }

    /// Syncs a filter on a manual request, and waits for the end of the run.
    ///
    /// The call joins a run that is under way. It waits for the first reading of the network, but not for a network:
    /// without one it fails at once, and the filter is run in the background when there is one. It also works for filters that were not added and while the
    /// coordinator does not run, as ``ContentSync/sync(_:)`` does; without a network, the exchange itself then fails.
    /// Cancelling ends the wait, not a run of the coordinator.
    ///
    /// - Throws: ``SyncError/offline`` without a network, ``SyncError/cancelled``, or the reason the run failed.
    public func sync(_ filter: ResourceFilter) async throws(SyncError) -> SyncReport {
        let text = filter.description
        if Task.isCancelled { throw .cancelled }
        let waiter = CoordinatorState.Waiter()
        let isWaiting = state.withLock { state in
            guard let loop = state.loop, state.filters.contains(where: { $0.filter == filter }) else { return false }
            state.waiters[text, default: []].append(waiter)
            state.unhandled.insert(ObjectIdentifier(waiter))
            loop.events.yield(.trigger(.manual(filter)))
            return true
        }
        guard isWaiting else {
            if isForcedOffline { throw .offline }
            if let list = state.withLock({ $0.lists[text] }) {
                return try await ListRun(list: list, store: store, report: onEvent).execute()
            }
            return try await content.sync(filter)
        }
        if let outcome = await waiter.value() { return try outcome.get() }
        state.withLock { state in
            state.unhandled.remove(ObjectIdentifier(waiter))
            state.waiters[text]?.removeAll { $0 === waiter }
        }
        throw .cancelled
    }

    /// Returns what the store has of filters and lists.
    func knownFilters(_ texts: Set<String>) -> [String: KnownFilter] {
        let lists = state.withLock { $0.lists }
        // A record that cannot be read fails the filter's run, which reports it.
        let known = try? store.read { view in
            var known: [String: KnownFilter] = [:]
            for filter in try view.readableFilters() where texts.contains(filter.filter) {
                known[filter.filter] = KnownFilter(filter)
            }
            for (text, list) in lists where texts.contains(text) {
                known[text] = KnownFilter(list: try view.resource(list.resource))
            }
            return known
        }
        return known ?? [:]
    }
}

extension KnownFilter {
    init(_ filter: FilterState) {
        hasToken = filter.token != nil
        sequence = filter.lastUntilSequence
        syncedAt = filter.tokenUpdatedAt
        failures = Int(clamping: filter.failures)
        resyncs = Int(clamping: filter.resyncs)
        resyncedAt = filter.resyncedAt
    }

    /// The state of a list, by its resource. A pass over it is never a bootstrap, but the first one is as urgent as
    /// one.
    init(list: Resource?) {
        isList = true
        hasToken = list?.syncedAt != nil
        syncedAt = list?.syncedAt
    }
}
