/// The one rule that decides which stored item is evicted first when space is needed; pure.
///
/// An item costs its fetch: a round trip and its bytes. It costs more where no way to fetch it is known, and less the
/// longer it was not used. It yields its bytes, at most those that are wanted. The lowest cost for a byte yielded is
/// evicted first; of equal ones the longest unused, then the larger. An item that was used since the hand last passed
/// is not compared here: it is skipped once.
package struct EvictionRule: Hashable, Sendable {
    /// The cost of a round trip, in bytes.
    static let roundTrip = 65_536.0
    /// The factor of the cost of an item that no known way fetches again.
    static let withoutPath = 16.0

    /// One item that may be evicted.
    package struct Item: Hashable, Sendable {
        /// The bytes of keys and values that it holds.
        package var bytes: Int64
        /// The milliseconds since it was last used.
        package var idle: Int64
        /// Whether it is known how to fetch it again.
        package var isFetchable: Bool

        /// An item of so many bytes.
        package init(bytes: Int64, idle: Int64, isFetchable: Bool) {
            self.bytes = bytes
            self.idle = idle
            self.isFetchable = isFetchable
        }
    }

    /// The bytes that are wanted.
    package var wanted: Int64

    /// A rule for so many bytes; at least one.
    package init(wanted: Int64) {
        self.wanted = max(1, wanted)
    }

    /// The cost of losing `item` for each wanted byte that it yields.
    package func cost(_ item: Item) -> Double {
        let yield = Double(max(1, min(item.bytes, wanted)))
        // A time in the future, after the clock was moved back, counts as just now.
        let idle = Double(max(1000, item.idle))
        let price = (Self.roundTrip + Double(max(0, item.bytes))) * (item.isFetchable ? 1 : Self.withoutPath)
        return price / idle / yield
    }

    /// Whether `first` is evicted before `second`.
    package func prefers(_ first: Item, to second: Item) -> Bool {
        let costs = (cost(first), cost(second))
        if costs.0 != costs.1 { return costs.0 < costs.1 }
        return (first.idle, first.bytes) > (second.idle, second.bytes)
    }
}
