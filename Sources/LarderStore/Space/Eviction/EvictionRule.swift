/// Which stored thing goes first when room has to be made. The one place that says so; pure.
///
/// Each thing costs what its return will: a round trip and its bytes, more where nothing says how to fetch it again,
/// and the less the longer nobody used it. It yields its bytes, at most those that are wanted. The lowest cost for a
/// byte yielded goes first; of equal ones the longest unused, then the larger. What was used since the hand last passed
/// is not asked here: it gets a second chance.
package struct EvictionRule: Hashable, Sendable {
    /// What a round trip counts as, in bytes.
    static let roundTrip = 65_536.0
    /// How many times the cost of a thing that nothing says how to fetch again.
    static let withoutPath = 16.0

    /// One thing that may go.
    package struct Item: Hashable, Sendable {
        /// The bytes of keys and values that it holds.
        package var bytes: Int64
        /// The milliseconds since it was last used.
        package var idle: Int64
        /// Whether it is known how to fetch it again.
        package var isFetchable: Bool

        /// A thing of so many bytes.
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

    /// What losing `item` costs for each byte that is wanted and that it yields.
    package func cost(_ item: Item) -> Double {
        let yield = Double(max(1, min(item.bytes, wanted)))
        // A time that lies ahead, after the clock was set back, counts as just now.
        let idle = Double(max(1000, item.idle))
        let price = (Self.roundTrip + Double(max(0, item.bytes))) * (item.isFetchable ? 1 : Self.withoutPath)
        return price / idle / yield
    }

    /// Whether `first` goes before `second`.
    package func prefers(_ first: Item, to second: Item) -> Bool {
        let costs = (cost(first), cost(second))
        if costs.0 != costs.1 { return costs.0 < costs.1 }
        return (first.idle, first.bytes) > (second.idle, second.bytes)
    }
}
