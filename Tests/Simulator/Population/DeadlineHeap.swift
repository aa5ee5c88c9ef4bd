// DeadlineHeap: the events to come of a population, by time and then by insertion.

/// The events to come, ordered by time and then by insertion, so that one seed is one course of events.
struct DeadlineHeap {
    /// One event of one client.
    struct Entry {
        /// Nanoseconds of virtual time.
        let time: Int64
        let number: UInt64
        let client: Int
        let stimulus: ClientStimulus

        fileprivate func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : number < other.number
        }
    }

    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    /// Adds an event.
    mutating func insert(_ stimulus: ClientStimulus, at time: Int64, for client: Int) {
        entries.append(Entry(time: time, number: nextNumber, client: client, stimulus: stimulus))
        nextNumber += 1
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the first event, unless it is later than `end`.
    mutating func popFirst(until end: Int64) -> Entry? {
        guard let first = entries.first, first.time <= end else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where isBefore(child, least) { least = child }
            guard least != parent else { return first }
            entries.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ child: Int, _ other: Int) -> Bool {
        child < entries.count && entries[child].precedes(entries[other])
    }
}
