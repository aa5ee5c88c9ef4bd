internal import LarderFormat
internal import LarderTransport
internal import Synchronization

/// The writes of classes in memory that wait for a connection, oldest first; lost when the program ends.
final class MemoryWrites: Sendable {
    struct Item: Sendable {
        var write: QueuedWrite
        /// What the server is told by it.
        var kind: ObjectWrite
        /// What it changes here.
        var effects: [ObjectChange]
        /// What undoes its effect, should the server refuse it.
        var undo: [ObjectChange]
        /// How many answers asked for another try, of those that came when one was due.
        var attempts = 0
        /// When another one counts, and one that has failed is revived; nil where the next one counts, and nothing revives it.
        var due: Duration?
        /// Whether its attempts are used up, or it cannot be sent as it is: it holds only what is about the same object.
        var hasFailed = false
    }

    private let items = Mutex<[Item]>([])
    /// What objects that were new are called by the server, by their temporary names.
    private let names = Mutex<[ObjectName: ObjectName]>([:])
    private let removals = Atomic(0)

    /// All of them.
    var all: [Item] { items.withLock { $0 } }

    /// The write to be sent next: the oldest one, but for those that have failed and what is about the same object.
    ///
    /// - Parameters:
    ///   - revivesAll: whether all that failed is sent once more, or only what is due.
    ///   - tried: the writes that are not to be revived again.
    func next(at now: Duration, revivesAll: Bool, but tried: Set<UUIDBytes>) -> Item? {
        items.withLock { items in
            var held: Set<ObjectName> = []
            return items.first { item in
                if held.contains(item.write.object) { return false }
                if !item.hasFailed { return true }
                let isRevived = revivesAll || item.due.map { $0 <= now } ?? false
                if isRevived, !tried.contains(item.write.id) { return true }
                held.insert(item.write.object)
                return false
            }
        }
    }

    /// Whether a new write about an object has to wait behind those that wait: all of them but what a failed one holds.
    func holdsBack(_ object: ObjectName) -> Bool {
        items.withLock { items in
            let held = Set(items.lazy.filter(\.hasFailed).map(\.write.object))
            return held.contains(object) || items.contains { !held.contains($0.write.object) }
        }
    }

    /// How often all of them were given up.
    var removalCount: Int { removals.load(ordering: .acquiring) }

    /// Whether a write about an object waits.
    func isWaiting(about object: ObjectName) -> Bool {
        items.withLock { items in items.contains { $0.write.object == object } }
    }

    /// Whether a write to a path waits.
    func isWaiting(at path: String) -> Bool {
        items.withLock { items in items.contains { $0.write.path == path } }
    }

    /// What the server calls an object that has a temporary name; nil where it is not known, or the name is none.
    func name(of temporary: ObjectName) -> ObjectName? { names.withLock { $0[temporary] } }

    /// Notes what the server calls an object, and has what waits about it go by that.
    ///
    /// - Parameter renamed: an item about the object under its new name.
    func follow(_ temporary: ObjectName, to name: ObjectName, renamed: (Item) -> Item) {
        // A server may keep the id that it was told.
        if name == temporary { return }
        names.withLock { $0[temporary] = name }
        items.withLock { items in
            for place in items.indices where items[place].write.object == temporary {
                items[place] = renamed(items[place])
            }
        }
    }

    /// Adds a write at the end, once; not one about a temporary name that leads elsewhere by now.
    ///
    /// - Parameter count: the ``removalCount`` when the write was made; with another one now, it was given up with the rest.
    /// - Returns: whether it waits.
    func append(
        _ write: QueuedWrite, _ kind: ObjectWrite, effects: [ObjectChange], undo: [ObjectChange], ifStillAt count: Int
    ) -> Bool {
        items.withLock { items in
            guard removalCount == count, name(of: write.object) == nil else { return false }
            if !items.contains(where: { $0.write.id == write.id }) {
                items.append(Item(write: write, kind: kind, effects: effects, undo: undo))
            }
            return true
        }
    }

    /// Counts an answer that asks for another try, unless it came before that was due: a burst of tries meets one fault.
    ///
    /// - Parameter asked: the wait that it asks for.
    /// - Returns: whether the attempts are used up.
    func countAttempt(_ id: UUIDBytes, by schedule: WriteSchedule, asked: Duration?, at now: Duration) -> Bool {
        items.withLock { items in
            guard let place = items.firstIndex(where: { $0.write.id == id }) else { return false }
            if items[place].due.map({ $0 <= now }) ?? true {
                items[place].attempts += 1
                items[place].hasFailed = items[place].attempts >= schedule.mostAttempts
                items[place].due = now + schedule.wait(afterAttempts: items[place].attempts, asked: asked)
            }
            return items[place].hasFailed
        }
    }

    /// Notes that a write cannot be sent as it is.
    func fail(_ id: UUIDBytes) {
        items.withLock { items in
            for place in items.indices where items[place].write.id == id {
                items[place].hasFailed = true
                items[place].due = nil
            }
        }
    }

    /// Has what failed through the server's fault tried again, as the server takes writes: at once for the first time, then after the
    /// first of the waits for revival.
    func noteAcceptance(_ schedule: WriteSchedule, at now: Duration) {
        items.withLock { items in
            for place in items.indices where items[place].hasFailed {
                let soon = items[place].attempts > schedule.mostAttempts ? now + schedule.revival.first : now
                items[place].due = items[place].due.map { min($0, soon) }
            }
        }
    }

    /// Notes whether the server may have a write: it may from when it is about to be sent.
    func note(_ id: UUIDBytes, isInDoubt: Bool) {
        items.withLock { items in
            for place in items.indices where items[place].write.id == id { items[place].write.isInDoubt = isInDoubt }
        }
    }

    /// Takes out a write that the server has.
    func accept(_ id: UUIDBytes) { items.withLock { items in items.removeAll { $0.write.id == id } } }

    /// Takes out a write that the server refused.
    ///
    /// - Returns: what undoes its effect; nothing where a later write about the same object hides it, which then takes over
    ///   what undoes it.
    func reject(_ id: UUIDBytes) -> [ObjectChange] {
        items.withLock { items in
            guard let place = items.firstIndex(where: { $0.write.id == id }) else { return [] }
            let item = items.remove(at: place)
            if item.undo.isEmpty { return [] }
            let later = items[place...].firstIndex { $0.write.object == item.write.object && !$0.undo.isEmpty }
            guard let later else { return item.undo }
            items[later].undo = item.undo
            return []
        }
    }

    /// Has the oldest write that changes an object be undone to what the server has of it.
    ///
    /// - Returns: the change that the newest of them makes; nil when none waits.
    func rebase(on object: StoredObject) -> ObjectChange? { rebase(object.name, undo: .put(object)) }

    /// As ``rebase(on:)``, for an object of which nothing else is kept any more.
    func rebaseOnNothing(_ name: ObjectName) -> ObjectChange? { rebase(name, undo: .remove(name)) }

    private func rebase(_ name: ObjectName, undo: ObjectChange) -> ObjectChange? {
        items.withLock { items in
            let places = items.indices.filter { items[$0].write.object == name && !items[$0].undo.isEmpty }
            guard let oldest = places.first, let newest = places.last else { return nil }
            items[oldest].undo = [undo]
            return items[newest].effects.first
        }
    }

    /// The objects that the waiting writes change.
    var changedObjects: Set<ObjectName> {
        items.withLock { items in Set(items.filter { !$0.undo.isEmpty }.map(\.write.object)) }
    }

    /// Gives all of them up.
    ///
    /// - Returns: how many there were.
    func removeAll() -> Int {
        items.withLock { items in
            removals.add(1, ordering: .releasing)
            defer { items = [] }
            return items.count
        }
    }
}
