internal import LarderFormat
internal import Synchronization

/// The writes of classes in memory that wait for a connection, oldest first; lost when the program ends.
final class MemoryWrites: Sendable {
    struct Item: Sendable {
        var write: QueuedWrite
        /// What undoes its effect, should the server refuse it.
        var undo: [ObjectChange]
    }

    private let items = Mutex<[Item]>([])

    /// All of them.
    var all: [Item] { items.withLock { $0 } }

    /// Adds a write at the end.
    func append(_ write: QueuedWrite, undo: [ObjectChange]) {
        items.withLock { $0.append(Item(write: write, undo: undo)) }
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
}
