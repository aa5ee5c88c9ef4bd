// EventQueue: pending events of a history, by time and then by insertion.

/// What waits to happen in a history, by time and then in the order in which it was put there.
struct EventQueue {
    /// What of the client waits.
    enum Side: Hashable {
        case sync, outbox
        /// What the host does by itself.
        case host

        /// That of the task that asks.
        @TaskLocal static var current = Side.host
    }

    /// Whose step it is.
    enum Owner: Hashable {
        /// A commit of the store, a look past a portal.
        case commit, probe
        /// A sleep of the client, an answer of the network.
        case sleep(Side), exchange(Side)
        case launch, removal
        case networkChange, signIn
        /// What is on its way to the server, whatever becomes of the client.
        case arrival
    }

    struct Entry {
        /// Milliseconds of virtual time.
        let time: Int64
        let number: Int
        let owner: Owner
        let label: String
        let work: () throws -> Void
    }

    private(set) var entries: [Entry] = []
    private var nextNumber = 0

    /// Adds a step, and gives its number.
    @discardableResult
    mutating func add(at time: Int64, _ owner: Owner, _ label: String, _ work: @escaping () throws -> Void) -> Int {
        entries.append(Entry(time: time, number: nextNumber, owner: owner, label: label, work: work))
        nextNumber += 1
        return nextNumber - 1
    }

    /// When the next step is due.
    var nextTime: Int64? { entries.min(by: Self.precedes)?.time }

    /// Takes the next step out.
    mutating func popFirst() -> Entry? {
        guard let index = entries.indices.min(by: { Self.precedes(entries[$0], entries[$1]) }) else { return nil }
        return entries.remove(at: index)
    }

    /// Takes out what belongs to an owner.
    mutating func remove(where isGone: (Owner) -> Bool) { entries.removeAll { isGone($0.owner) } }

    /// Takes out the step of a number, if it is still to come.
    mutating func remove(_ number: Int) { entries.removeAll { $0.number == number } }

    func count(of owner: Owner) -> Int { entries.count { $0.owner == owner } }

    /// Whether anything is to come of an exchange of a side, or of a sleep that ends by a time.
    func isAwaited(by side: Side, until time: Int64 = .max) -> Bool {
        entries.contains { $0.owner == .exchange(side) || ($0.owner == .sleep(side) && $0.time <= time) }
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }
}
