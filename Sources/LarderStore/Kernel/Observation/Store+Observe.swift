internal import LarderEngine

extension Store {
    /// Returns the value of `read` now and again after every commit that concerns `region`.
    ///
    /// The first value is delivered at once. An observer that is slower than the commits skips values and gets the
    /// newest. A commit of another process concerns every region, and is read within some milliseconds. The sequence
    /// ends when the task is cancelled or the store closes; it throws what `read` throws.
    public func values<Value: Sendable>(
        in region: Region, _ read: @escaping @Sendable (borrowing ReadView) throws -> Value
    ) -> StoreValues<Value> {
        StoreValues(store: self, region: region, read: read)
    }

    /// Returns the changes of the commits that concern `region`, from now on.
    ///
    /// Changes that arrive faster than the observer reads them are merged into one set. Commits of other processes are
    /// reported within some milliseconds, without their changes (``ChangeSet/isEverything``). The sequence ends when
    /// the task is cancelled or the store closes.
    public func changes(in region: Region = .everything) -> StoreChanges {
        StoreChanges(subscription: subscribe(to: region))
    }

    /// Returns a subscription to the commits of this process and of others, from now on.
    func subscribe(to region: Region) -> Subscription {
        let subscription = hub.subscribe(to: region)
        shared.watchExternalCommits()
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

        /// Returns the newest value, after waiting for a change unless it is the first; nil at the end.
        ///
        /// - Throws: as ``Store/read(_:)``.
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

    /// Returns the one observer's position.
    ///
    /// A second iterator shares it: each change is delivered to the one that has waited longest, and the end to both.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// The observer's position.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// Returns the changes since the last call, after waiting for one; nil at the end.
        public mutating func next() async -> ChangeSet? {
            await subscription.next()
        }
    }
}
