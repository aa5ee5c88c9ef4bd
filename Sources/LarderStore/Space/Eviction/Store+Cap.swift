internal import LarderEngine
public import LarderFormat
internal import Logging

extension Store {
    /// The most bytes that may be stored after a commit, as ``StoreOptions/sizeCap`` has it; nil for any number. The
    /// words of searches, in `search.sqlite`, use up to half of it.
    public var sizeCap: Int64? { shared.sizeCap }

    /// Returns the evictions as they happen, from now on.
    ///
    /// Evictions that arrive faster than they are read are kept, up to the newest 256. The sequence ends when the task
    /// is cancelled or the store closes.
    public func evictions() -> StoreEvictions {
        StoreEvictions(subscription: hub.subscribe(to: .evictions))
    }

    /// Evicts what is stored beyond the cap: at an open before the first write, and after a search has added words.
    ///
    /// Runs in bounded commits on the writer thread, where writes wait for it; the caller does not. A close ends it
    /// after the commit under way; the next open continues.
    package func shrinkToCap() {
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

    /// Returns the one observer's position.
    ///
    /// A second iterator shares it: each change is delivered to the one that has waited longest, and the end to both.
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

        /// Returns the next eviction, after waiting for one; nil at the end.
        public mutating func next() async -> Eviction? {
            while waiting.isEmpty {
                guard let changes = await subscription.next() else { return nil }
                waiting = changes.evictions.reversed()
            }
            return waiting.popLast()
        }
    }
}
