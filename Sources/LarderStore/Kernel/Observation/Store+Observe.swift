internal import LarderEngine

extension Store {
    /// The value of `read` now and again after every commit that concerns `region`.
    ///
    /// The first value comes at once. Commits that come faster than the observer looks are skipped over: it always
    /// gets the newest. A commit of another process concerns every region, and is read within some milliseconds.
    /// Ends when the task is cancelled or the store closes; throws what `read` throws.
    public func values<Value: Sendable>(
        in region: Region, _ read: @escaping @Sendable (borrowing ReadView) throws -> Value
    ) -> StoreValues<Value> {
        StoreValues(store: self, region: region, read: read)
    }

    /// What commits change in `region`, from now on.
    ///
    /// Changes that come faster than the observer looks are merged into one set. Commits of other processes are told
    /// within some milliseconds, and not what they changed (``ChangeSet/isEverything``). Ends when the task is cancelled
    /// or the store closes.
    public func changes(in region: Region = .everything) -> StoreChanges {
        StoreChanges(subscription: subscribe(to: region))
    }

    /// A subscription to the commits of this process and of others, from now on.
    func subscribe(to region: Region) -> Subscription {
        let subscription = hub.subscribe(to: region)
        shared.watchOthers()
        return subscription
    }
}

/// The values of a read, each as of one commit. See ``Store/values(in:_:)``.
public struct StoreValues<Element: Sendable>: AsyncSequence, Sendable {
    let store: Store
    let region: Region
    let read: @Sendable (borrowing ReadView) throws -> Element

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(store: store, subscription: store.subscribe(to: region), read: read)
    }

    /// One observer's position.
    public struct Iterator: AsyncIteratorProtocol {
        let store: Store
        let subscription: Subscription
        let read: @Sendable (borrowing ReadView) throws -> Element
        var hasDeliveredFirst = false

        /// The newest value, after waiting for a change unless it is the first; nil at the end.
        public mutating func next() async throws -> Element? {
            if hasDeliveredFirst {
                guard await subscription.next() != nil else { return nil }
            }
            if Task.isCancelled { return nil }
            hasDeliveredFirst = true
            do {
                return try store.read(read)
            } catch EngineError.closed where subscription.isFinished {
                return nil
            }
        }
    }
}

/// The changes of commits. See ``Store/changes(in:)``.
public struct StoreChanges: AsyncSequence, Sendable {
    let subscription: Subscription

    /// The one observer's position. A second iterator shares it: each change goes to one of them, to the one that has
    /// waited longest, and the end to both.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// The observer's position.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// The changes since the last call, after waiting for one; nil at the end.
        public mutating func next() async -> ChangeSet? {
            await subscription.next()
        }
    }
}
