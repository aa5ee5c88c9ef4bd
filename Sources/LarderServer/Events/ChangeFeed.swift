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
        /// Whether the content was replaced by an older state, so that numbers that the client has mean nothing.
        var isRestored = false
        var isDue = false
        /// The intervals since it was added.
        var age = 0

        func mayMatch(_ recent: RecentChanges) -> Bool {
            filters.contains { recent.mayMatch($0.filter, after: position) }
        }
    }

    private struct State {
        var recent: RecentChanges?
        var listeners: [Int: Listener] = [:]
        var due: ArraySlice<Int> = []
        var lastID = 0
        /// The task that reads and wakes, and its number: what an earlier one has read counts no more.
        var watch: (number: Int, task: Task<Void, Never>)?
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

    /// A client that listens, until ``end()``, or until nothing holds it any more: a response that is never begun ends it too.
    final class Subscription: Sendable {
        fileprivate let id: Int
        private let feed: ChangeFeed
        /// Yields when ``events()`` has to be written, and ends with the client's time.
        let wakes: AsyncStream<Void>

        fileprivate init(_ id: Int, _ feed: ChangeFeed, _ wakes: AsyncStream<Void>) {
            (self.id, self.feed, self.wakes) = (id, feed, wakes)
        }

        deinit { end() }

        /// Ends listening. The origin is not read while nobody listens.
        func end() { feed.state.withLock { ChangeFeed.remove(id, &$0) } }

        /// Returns the texts of the filters that changed since the last call, and the number of the latest change; `nil` where
        /// numbers count anew.
        func events() -> (sequence: Int64?, filters: [String]) { feed.events(for: id) }
    }

    /// Adds a client that listens; without a number of what it has, each filter counts as changed.
    ///
    /// - Throws: ``OriginProblem`` with status 503 and `Retry-After` where as many listen as the settings allow, or where the
    ///   origin cannot be read and nobody else listens.
    func listen(_ query: EventQuery) async throws(OriginProblem) -> Subscription {
        let (wakes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var first: RecentChanges?
        while true {
            let added = state.withLock { add(query, continuation, first, to: &$0) }
            switch added {
            case .added(let id):
                continuation.yield()
                return Subscription(id, self, wakes)
            case .full: throw OriginProblem(status: 503, message: "Too many clients listen", retryAfter: 60)
            case .unread:
                first = RecentChanges(after: try await origin.changedResources(after: .max).sequence)
            }
        }
    }

    private enum Addition {
        case added(Int)
        case full
        /// The origin was not read yet.
        case unread
    }

    private func add(
        _ query: EventQuery, _ wakes: AsyncStream<Void>.Continuation, _ first: RecentChanges?, to state: inout State
    ) -> Addition {
        guard state.listeners.count < settings.listeners else { return .full }
        guard let recent = state.recent ?? first else { return .unread }
        state.recent = recent
        state.lastID += 1
        let id = state.lastID
        state.listeners[id] = Listener(filters: query.filters, wakes: wakes, position: query.after ?? -1)
        if state.watch == nil { state.watch = (id, Task { [weak self] in await self?.watch(id) }) }
        return .added(id)
    }

    private static func remove(_ id: Int, _ state: inout State) {
        state.listeners.removeValue(forKey: id)?.wakes.finish()
        guard state.listeners.isEmpty else { return }
        state.watch?.task.cancel()
        (state.watch, state.recent, state.due) = (nil, nil, [])
    }

    private func events(for id: Int) -> (sequence: Int64?, filters: [String]) {
        state.withLock { state in
            guard let recent = state.recent, var listener = state.listeners[id] else { return (nil, []) }
            let changed = listener.filters.filter { recent.mayMatch($0.filter, after: listener.position) }
            let isRestored = listener.isRestored
            listener.position = isRestored ? recent.sequence : max(listener.position, recent.sequence)
            (listener.isDue, listener.isRestored) = (false, false)
            state.listeners[id] = listener
            return (isRestored ? nil : recent.sequence, changed.map(\.text))
        }
    }

    // MARK: The watch

    /// Reads the origin, and wakes listeners, each at its interval: a reading may take long, and signs of life may not.
    private func watch(_ number: Int) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while (try? await self.sleep(self.settings.interval)) != nil, await self.read(number) {}
            }
            while (try? await sleep(settings.interval)) != nil, wake(number) {}
            group.cancelAll()
        }
    }

    /// Reads what has changed; returns false when another watch has begun.
    private func read(_ number: Int) async -> Bool {
        let sequence = state.withLock { state in state.watch?.number == number ? state.recent?.sequence : nil }
        guard let sequence else { return false }
        // Without the database, clients go on listening: what changes meanwhile is reported when it can be read.
        guard let changed = try? await origin.changedResources(after: sequence) else { return true }
        state.withLock { state in
            guard state.watch?.number == number, changed.sequence != sequence else { return }
            state.recent?.add(changed)
            // What has listened for the longest time comes first.
            for id in state.listeners.keys.sorted() {
                if changed.sequence < sequence { Self.restore(id, &state) }
                Self.makeDue(id, &state)
            }
        }
        return true
    }

    private static func restore(_ id: Int, _ state: inout State) {
        state.listeners[id]?.position = -1
        state.listeners[id]?.isRestored = true
    }

    private static func makeDue(_ id: Int, _ state: inout State) {
        guard let recent = state.recent, let listener = state.listeners[id], !listener.isDue,
            listener.mayMatch(recent)
        else { return }
        state.listeners[id]?.isDue = true
        state.due.append(id)
    }

    /// Wakes listeners that have changes, as many as an interval allows, and those whose time for a sign of life has come;
    /// returns false when another watch has begun.
    private func wake(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.watch?.number == number else { return false }
            for id in state.due.prefix(settings.wakesPerInterval) { state.listeners[id]?.wakes.yield() }
            state.due = state.due.dropFirst(settings.wakesPerInterval)
            for (id, listener) in state.listeners {
                let age = listener.age + 1
                state.listeners[id]?.age = age
                // A client may have a change that was not read here yet, but not for long.
                if age == settings.patience, let recent = state.recent, listener.position > recent.sequence {
                    Self.restore(id, &state)
                    Self.makeDue(id, &state)
                }
                if age % settings.keepAlive == 0, !listener.isDue { listener.wakes.yield() }
                if age == settings.lifetime { Self.remove(id, &state) }
            }
            return true
        }
    }
}
