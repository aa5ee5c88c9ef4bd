internal import LarderEngine
public import LarderFormat
internal import Logging

extension Store {
    /// The most bytes that may be stored after a commit, as ``StoreOptions/sizeCap`` has it; nil for any number. The words of
    /// searches, in `search.sqlite`, take up to half of it.
    public var sizeCap: Int64? { shared.sizeCap }

    /// Evictions as they happen, from now on; what comes faster than it is looked at is kept, up to the newest 256.
    ///
    /// Ends when the task is cancelled or the store closes.
    public func evictions() -> StoreEvictions {
        StoreEvictions(subscription: hub.subscribe(to: .evictions))
    }

    /// Has what is stored beyond the cap evicted: at an open before the first write, and behind a search that has added words.
    ///
    /// In bounded commits on the writer thread, where writes wait behind it; the caller does not. A close ends it after the
    /// commit under way; the next open goes on.
    package func fitToCap() {
        guard let cap = shared.contentCap else { return }
        let shared = shared
        let logger = host.logger
        do throws(EngineError) {
            try environment.onWriter {
                do {
                    while try !shared.environment.isClosing
                        && shared.transact(durability: .relaxed, isBulk: true, { try $0.shrink(to: cap) })
                    {}
                    if shared.environment.isClosing { return }
                    let size = try shared.environment.read { try shared.tables.counters(in: $0).storedSize }
                    if size > cap {
                        logger.warning(
                            "more is stored than the cap allows, and may not be evicted",
                            metadata: ["stored": "\(size)", "cap": "\(cap)"])
                    }
                } catch {
                    logger.warning("could not bring the store down to its cap", metadata: ["error": "\(error)"])
                }
            }
        } catch {
            logger.debug("the store closed before it was brought down to its cap", metadata: ["error": "\(error)"])
        }
    }
}

/// Evictions as they happen. See ``Store/evictions()``.
public struct StoreEvictions: AsyncSequence, Sendable {
    let subscription: Subscription

    /// The one observer's position. A second iterator shares it: each change goes to one of them, to the one that has
    /// waited longest, and the end to both.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: subscription)
    }

    /// The observer's position.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription
        private var waiting: [Eviction] = []

        init(subscription: Subscription) {
            self.subscription = subscription
        }

        /// The next eviction, after waiting for one; nil at the end.
        public mutating func next() async -> Eviction? {
            while waiting.isEmpty {
                guard let changes = await subscription.next() else { return nil }
                waiting = changes.evictions.reversed()
            }
            return waiting.popLast()
        }
    }
}
