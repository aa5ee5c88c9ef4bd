internal import LarderFormat
internal import LarderSync

/// What waits to happen in a history, by time and then in the order in which it was put there.
struct Agenda {
    /// Whose step it is.
    enum Owner: Hashable {
        case run(Int), copy(Int), mail, timer, note, probe, launch, removal
        case write(UUIDBytes), writeTimer, news, signIn
        /// What is on its way to the server, whatever becomes of the client.
        case arrival
    }

    /// What is done; a run's or copy's step gives the event that answers it, or nil when another step will.
    enum Work {
        case run(() throws -> RunEvent?)
        case copy(() throws -> CopyEvent?)
        case other(() throws -> Void)
    }

    struct Entry {
        /// Milliseconds of virtual time.
        var time: Int64
        let number: Int
        let owner: Owner
        let label: String
        /// Whether a cancellation takes its place.
        let isCancellable: Bool
        var work: Work
    }

    private(set) var entries: [Entry] = []
    private var nextNumber = 0

    mutating func add(
        at time: Int64, _ owner: Owner, _ label: String, isCancellable: Bool = false, _ work: Work
    ) {
        entries.append(
            Entry(
                time: time, number: nextNumber, owner: owner, label: label, isCancellable: isCancellable, work: work))
        nextNumber += 1
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

    func count(of owner: Owner) -> Int { entries.count { $0.owner == owner } }

    /// Lets what may be cancelled of an owner's steps do something else, at `time` if that is earlier.
    mutating func replace(of owner: Owner, at time: Int64, when: (Entry) -> Bool, with work: Work) {
        for index in entries.indices
        where entries[index].owner == owner && entries[index].isCancellable && when(entries[index]) {
            entries[index].work = work
            entries[index].time = min(entries[index].time, time)
        }
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }
}
