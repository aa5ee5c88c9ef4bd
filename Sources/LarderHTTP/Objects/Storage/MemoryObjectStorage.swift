public import LarderFormat
public import LarderStore
internal import Synchronization

/// A storage of objects in memory, lost when the program ends.
///
/// Above its limit it drops the objects used longest ago, and then whole collections.
public final class MemoryObjectStorage: ObjectStorage {
    private let state: Mutex<MemoryObjects>
    private let observers = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])

    /// Creates an empty storage.
    ///
    /// - Parameter limit: the most bytes of payloads and lists, above 0; 32 MiB by default.
    public init(limit: Int = 32 << 20) {
        precondition(limit > 0, "a limit of \(limit) bytes")
        state = Mutex(MemoryObjects(limit: limit))
    }

    /// Returns an object, and the validators of its own fetch; nil when it is not stored.
    public func object(_ name: ObjectName) -> ObjectEntry? {
        state.withLock { state in
            state.recordUse(name)
            return state.objects[name]?.entry
        }
    }

    /// Returns a collection; nil when it is not stored.
    public func collection(_ name: CollectionName) -> CollectionEntry? {
        state.withLock { state in
            guard let collection = state.collections[name] else { return nil }
            var objects: [ObjectName: StoredObject] = [:]
            for member in collection.members {
                state.recordUse(member)
                objects[member] = state.objects[member]?.entry.object
            }
            return CollectionEntry(
                members: collection.members, objects: objects, validators: collection.validators,
                fetchedAt: collection.fetchedAt)
        }
    }

    /// Returns the collections that hold an object.
    public func collections(containing object: ObjectName) -> [CollectionName] {
        state.withLock { Array($0.collectionsByMember[object] ?? []) }
    }

    /// Returns the collections of a class, including those fetched through references.
    public func collections(ofClass className: String) -> [CollectionName] {
        state.withLock { $0.collections(ofClass: className) }
    }

    /// Returns the classes of which an object or a collection is stored.
    public func classNames() -> [String] { state.withLock { $0.classNames } }

    /// Makes all of the changes that `decide` returns, in their order, with nothing in between; never throws.
    @discardableResult
    public func apply(deciding decide: @escaping @Sendable () -> [ObjectChange]) async throws -> [ObjectChange] {
        let changes = state.withLock { state in
            let changes = decide()
            for change in changes { state.apply(change) }
            state.evictOldest()
            return changes
        }
        if !changes.isEmpty { for observer in observers.withLock({ Array($0.values) }) { observer.yield() } }
        return changes
    }

    /// Returns a stream with an element after every change, whatever its region.
    public func changes(in region: Region) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = observers.withLock { observers in
            let number = (observers.keys.max() ?? 0) + 1
            observers[number] = continuation
            return number
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.observers.withLock { $0.removeValue(forKey: number) }
        }
        return stream
    }
}
