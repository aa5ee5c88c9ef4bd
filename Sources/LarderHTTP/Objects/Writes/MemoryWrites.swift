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
    }

    private let items = Mutex<[Item]>([])

    /// All of them.
    var all: [Item] { items.withLock { $0 } }

    /// Whether a write about an object waits.
    func isWaiting(about object: ObjectName) -> Bool {
        items.withLock { items in items.contains { $0.write.object == object } }
    }

    /// Whether a write to a path waits.
    func isWaiting(at path: String) -> Bool {
        items.withLock { items in items.contains { $0.write.path == path } }
    }

    /// Adds a write at the end.
    func append(_ write: QueuedWrite, effects: [ObjectChange], undo: [ObjectChange]) {
        items.withLock { $0.append(Item(write: write, effects: effects, undo: undo)) }
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
            defer { items = [] }
            return items.count
        }
    }
}
