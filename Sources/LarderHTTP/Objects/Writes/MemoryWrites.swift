internal import LarderFormat
internal import Synchronization

/// The writes of classes in memory that wait for a connection, oldest first; lost when the program ends.
final class MemoryWrites: Sendable {
    struct Item: Sendable {
        var write: QueuedWrite
        /// What it changes here.
        var effects: [ObjectChange]
        /// What undoes its effect, should the server refuse it.
        var undo: [ObjectChange]
        /// How many HTML pages under 4xx have answered it, of those a while apart.
        var pages = 0
        /// When the last one of them did.
        var pageAt: Int64?
    }

    /// The time between two pages that count, in milliseconds: a burst of tries meets the same captive portal.
    private static let pageInterval: Int64 = 60_000

    /// How many pages end a write.
    static let mostPages = 5

    private let items = Mutex<[Item]>([])
    private let removals = Atomic(0)

    /// All of them.
    var all: [Item] { items.withLock { $0 } }

    /// The oldest one.
    var first: Item? { items.withLock { $0.first } }

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

    /// Adds a write at the end, once.
    ///
    /// - Parameter count: the ``removalCount`` when the write was made; with another one now, it was given up with the rest.
    /// - Returns: whether it waits.
    func append(
        _ write: QueuedWrite, effects: [ObjectChange], undo: [ObjectChange], ifStillAt count: Int
    ) -> Bool {
        items.withLock { items in
            guard removalCount == count else { return false }
            if !items.contains(where: { $0.write.id == write.id }) {
                items.append(Item(write: write, effects: effects, undo: undo))
            }
            return true
        }
    }

    /// Counts an HTML page under 4xx in answer to a write.
    ///
    /// - Returns: how many there were, with a while between each two.
    func countPage(_ id: UUIDBytes, at now: Int64) -> Int {
        items.withLock { items in
            guard let place = items.firstIndex(where: { $0.write.id == id }) else { return 0 }
            let isApart = items[place].pageAt.map { abs(now - $0) >= Self.pageInterval } ?? true
            if isApart {
                items[place].pages += 1
                items[place].pageAt = now
            }
            return items[place].pages
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
