internal import LarderFormat
internal import LarderTransport
internal import Synchronization

/// The writes of classes in memory that wait for a connection, oldest first. They are lost when the program ends.
final class MemoryWrites: Sendable {
    struct Item: Sendable {
        var write: QueuedWrite
        /// The operation that the write requests of the server.
        var kind: ObjectWrite
        /// The local changes that the write makes.
        var effects: [ObjectChange]
        /// The changes that undo the write's effect if the server refuses it.
        var undo: [ObjectChange]
        /// The number of responses that requested another try and came when one was due.
        var attempts = 0
        /// The time from which another response counts and a failed write is revived; nil where the next response
        /// counts, and time does not revive the write.
        var due: Duration?
        /// Whether the attempts are used up, or the write cannot be sent as it is. It then holds back only writes about
        /// the same object.
        var hasFailed = false
    }

    private let items = Mutex<[Item]>([])
    /// The server's names of objects that were new, by their temporary names.
    private let names = Mutex<[ObjectName: ObjectName]>([:])
    private let removals = Atomic(0)

    /// All waiting writes.
    var all: [Item] { items.withLock { $0 } }

    /// Returns the write to send next: the oldest one, except for those that have failed and later ones about the same
    /// object.
    ///
    /// - Parameters:
    ///   - revivesAll: whether every failed write is sent once more, or only those that are due.
    ///   - tried: the writes that are not to be revived again.
    func next(at now: Duration, revivesAll: Bool, excluding tried: Set<UUIDBytes>) -> Item? {
        items.withLock { items in
            var blocked: Set<ObjectName> = []
            return items.first { item in
                if blocked.contains(item.write.object) { return false }
                if !item.hasFailed { return true }
                let isRevived = revivesAll || item.due.map { $0 <= now } ?? false
                if isRevived, !tried.contains(item.write.id) { return true }
                blocked.insert(item.write.object)
                return false
            }
        }
    }

    /// Whether a new write about an object has to wait behind the waiting ones. Writes about an object with a failed
    /// write hold back only writes about that object.
    func blocks(_ object: ObjectName) -> Bool {
        items.withLock { items in
            let blocked = Set(items.lazy.filter(\.hasFailed).map(\.write.object))
            return blocked.contains(object) || items.contains { !blocked.contains($0.write.object) }
        }
    }

    /// The number of times that all waiting writes were discarded.
    var removalCount: Int { removals.load(ordering: .acquiring) }

    /// Whether a write about an object waits.
    func isWaiting(about object: ObjectName) -> Bool {
        items.withLock { items in items.contains { $0.write.object == object } }
    }

    /// Whether a write to a path waits.
    func isWaiting(at path: String) -> Bool {
        items.withLock { items in items.contains { $0.write.path == path } }
    }

    /// Returns the server's name of an object that has a temporary name; nil where it is not known, or `temporary` is
    /// no temporary name.
    func name(of temporary: ObjectName) -> ObjectName? { names.withLock { $0[temporary] } }

    /// Records the server's name of an object, and moves the writes that wait about the object to that name.
    ///
    /// - Parameter renamed: returns an item about the object under its new name.
    func rename(_ temporary: ObjectName, to name: ObjectName, renamed: (Item) -> Item) {
        // A server may keep the id that the request gave.
        if name == temporary { return }
        names.withLock { $0[temporary] = name }
        items.withLock { items in
            for place in items.indices where items[place].write.object == temporary {
                items[place] = renamed(items[place])
            }
        }
    }

    /// Adds a write at the end, unless it is already there. A write about a temporary name that has been replaced is
    /// not added.
    ///
    /// - Parameter count: the ``removalCount`` when the write was made. If it has changed, the write was discarded with
    ///   the rest.
    /// - Returns: whether the write waits.
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

    /// Counts a response that requests another try, unless it came before that try was due: several early tries can
    /// meet one and the same fault.
    ///
    /// - Parameter requested: the wait that the response requests.
    /// - Returns: whether the attempts are used up.
    func countAttempt(_ id: UUIDBytes, by schedule: WriteSchedule, requested: Duration?, at now: Duration) -> Bool {
        items.withLock { items in
            guard let place = items.firstIndex(where: { $0.write.id == id }) else { return false }
            if items[place].due.map({ $0 <= now }) ?? true {
                items[place].attempts += 1
                items[place].hasFailed = items[place].attempts >= schedule.mostAttempts
                items[place].due = now + schedule.wait(afterAttempts: items[place].attempts, requested: requested)
            }
            return items[place].hasFailed
        }
    }

    /// Records that a write cannot be sent as it is.
    func fail(_ id: UUIDBytes) {
        items.withLock { items in
            for place in items.indices where items[place].write.id == id {
                items[place].hasFailed = true
                items[place].due = nil
            }
        }
    }

    /// Schedules the writes that failed through the server's fault for another try, because the server accepts writes:
    /// at once for the first time, then after the first of the waits for revival.
    func recordAcceptance(_ schedule: WriteSchedule, at now: Duration) {
        items.withLock { items in
            for place in items.indices where items[place].hasFailed {
                let soon = items[place].attempts > schedule.mostAttempts ? now + schedule.revival.first : now
                items[place].due = items[place].due.map { min($0, soon) }
            }
        }
    }

    /// Records whether the server may have a write. It may from the time just before the write is sent.
    func mark(_ id: UUIDBytes, isInDoubt: Bool) {
        items.withLock { items in
            for place in items.indices where items[place].write.id == id { items[place].write.isInDoubt = isInDoubt }
        }
    }

    /// Removes a write that the server has.
    func remove(_ id: UUIDBytes) { items.withLock { items in items.removeAll { $0.write.id == id } } }

    /// Removes a write that the server refused.
    ///
    /// - Returns: the changes that undo its effect. Empty where a later write about the same object hides the effect;
    ///   that write then inherits the changes.
    func removeRejected(_ id: UUIDBytes) -> [ObjectChange] {
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

    /// Makes the server's version of an object the one that undoing the oldest write about it restores.
    ///
    /// - Returns: the change that the newest waiting write about the object makes; nil when none waits.
    func rebase(on object: StoredObject) -> ObjectChange? { rebase(object.name, undo: .put(object)) }

    /// Rebases as ``rebase(on:)``, for an object of which nothing else is stored any more.
    func rebaseOnRemoval(_ name: ObjectName) -> ObjectChange? { rebase(name, undo: .remove(name)) }

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

    /// Discards all waiting writes.
    ///
    /// - Returns: the number of writes discarded.
    func removeAll() -> Int {
        items.withLock { items in
            removals.add(1, ordering: .releasing)
            defer { items = [] }
            return items.count
        }
    }
}
