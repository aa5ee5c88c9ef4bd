import Synchronization

/// Reports the changes of an origin to the clients that listen on this server.
///
/// The origin is read at an interval while anyone listens: once for all, whatever their number. A change of another
/// server on the same database is found as one of this server is. Listeners are woken in their order, a limited number in
/// each interval, since each event leads to a request for a page.
final class ChangeFeed: Sendable {
    private struct Listener {
        let filters: [EventQuery.Filter]
        let wakes: AsyncStream<Void>.Continuation
        /// Changes up to this number were reported, or are known to the client.
        var position: Int64
        var isDue = false
        /// The intervals until it is woken without a change, and until it ends.
        var keepAlive: Int
        var rest: Int
    }

    private struct State {
        var recent: RecentChanges?
        var listeners: [Int: Listener] = [:]
        var due: ArraySlice<Int> = []
        var lastID = 0
        var watch: Task<Void, Never>?
    }

    private let origin: any SyncOrigin
    private let settings: EventSettings
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// - Parameter sleep: Waits for a time; fails when the task is cancelled.
    init(
        _ origin: any SyncOrigin, _ settings: EventSettings,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.origin = origin
        self.settings = settings
        self.sleep = sleep
    }

    /// The number of clients that listen.
    var count: Int { state.withLock { $0.listeners.count } }

    /// A client that listens, from ``listen(_:)`` to ``remove(_:)``.
    struct Subscription: Sendable {
        fileprivate let id: Int
        /// Yields when ``ChangeFeed/events(for:)`` has to be written, and ends with the client's time.
        let wakes: AsyncStream<Void>
    }

    /// Adds a client that listens; without a number of what it has, each filter counts as changed.
    ///
    /// - Throws: ``OriginProblem`` with status 503 and `Retry-After` where as many listen as the settings allow, or while
    ///   the origin cannot be read.
    func listen(_ query: EventQuery) async throws(OriginProblem) -> Subscription {
        var first: ChangedResources?
        if state.withLock({ $0.recent == nil }) { first = try await origin.changedResources(after: .max) }
        let (wakes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state -> Int? in
            guard state.listeners.count < settings.listeners else { return nil }
            let recent = state.recent ?? RecentChanges(after: first?.sequence ?? 0)
            state.recent = recent
            state.lastID += 1
            state.listeners[state.lastID] = Listener(
                filters: query.filters, wakes: continuation, position: query.after ?? -1,
                keepAlive: settings.keepAlive, rest: settings.lifetime)
            if state.watch == nil { state.watch = Task { [weak self] in await self?.watch() } }
            return state.lastID
        }
        guard let id else { throw OriginProblem(status: 503, message: "Too many clients listen", retryAfter: 60) }
        continuation.yield()
        return Subscription(id: id, wakes: wakes)
    }

    /// Removes a client that listens no more. The origin is not read while nobody listens.
    func remove(_ subscription: Subscription) {
        state.withLock { Self.remove(subscription.id, &$0) }
    }

    private static func remove(_ id: Int, _ state: inout State) {
        state.listeners.removeValue(forKey: id)?.wakes.finish()
        guard state.listeners.isEmpty else { return }
        state.watch?.cancel()
        (state.watch, state.recent, state.due) = (nil, nil, [])
    }

    /// Returns the texts of the filters that changed since the last call, and the number of the latest change.
    func events(for subscription: Subscription) -> (sequence: Int64, filters: [String]) {
        state.withLock { state in
            guard let recent = state.recent, let listener = state.listeners[subscription.id] else { return (0, []) }
            let changed = listener.filters.filter { recent.mayMatch($0.filter, after: listener.position) }
            state.listeners[subscription.id]?.position = max(listener.position, recent.sequence)
            state.listeners[subscription.id]?.isDue = false
            return (recent.sequence, changed.map(\.text))
        }
    }

    // MARK: The watch

    private func watch() async {
        while (try? await sleep(settings.interval)) != nil {
            let sequence = state.withLock { $0.recent?.sequence }
            guard let sequence else { return }
            // Without the database, clients go on listening: what changes meanwhile is reported when it can be read.
            if let changed = try? await origin.changedResources(after: sequence) { add(changed) }
            wakeSome()
        }
    }

    private func add(_ changed: ChangedResources) {
        state.withLock { state in
            guard let known = state.recent, changed.sequence != known.sequence else { return }
            state.recent?.add(changed)
            guard let recent = state.recent else { return }
            let isRestored = changed.sequence < known.sequence
            // What has listened for the longest time comes first.
            for id in state.listeners.keys.sorted() {
                if isRestored { state.listeners[id]?.position = -1 }
                guard let listener = state.listeners[id], !listener.isDue,
                    listener.filters.contains(where: { recent.mayMatch($0.filter, after: listener.position) })
                else { continue }
                state.listeners[id]?.isDue = true
                state.due.append(id)
            }
        }
    }

    /// Wakes listeners that have changes, as many as an interval allows, and those whose time for a sign of life has come.
    private func wakeSome() {
        state.withLock { state in
            for id in state.due.prefix(settings.eventsPerInterval) { state.listeners[id]?.wakes.yield() }
            state.due = state.due.dropFirst(settings.eventsPerInterval)
            for id in state.listeners.keys {
                guard var listener = state.listeners[id] else { continue }
                listener.keepAlive -= 1
                listener.rest -= 1
                if listener.keepAlive == 0 {
                    listener.keepAlive = settings.keepAlive
                    if !listener.isDue { listener.wakes.yield() }
                }
                state.listeners[id] = listener
                // Also where a response was never begun, and so never ended.
                if listener.rest == 0 { Self.remove(id, &state) }
            }
        }
    }
}
