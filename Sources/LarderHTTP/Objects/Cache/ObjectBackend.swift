public import LarderStore

/// The place of one kind of persistence: a storage of objects and a cache of responses for files.
public struct ObjectBackend: Sendable {
    /// The storage of objects and collections.
    public var objects: any ObjectStorage
    /// The cache of files, as the responses they came in.
    public var files: any ResponseCache
    /// The queue of the writes of persistent classes. Without it, saving them throws
    /// ``HTTPCacheError/notConfigured(_:)``. Writes of classes in memory wait in memory.
    public var writes: (any WriteQueue)?

    /// A place of these parts.
    public init(objects: any ObjectStorage, files: any ResponseCache, writes: (any WriteQueue)? = nil) {
        self.objects = objects
        self.files = files
        self.writes = writes
    }

    /// Returns a place with objects and files in `store`, and writes in a queue of the same store.
    public static func store(_ store: Store, writes: (any WriteQueue)? = nil) -> ObjectBackend {
        ObjectBackend(objects: StoreObjectStorage(store), files: StoreResponseCache(store: store), writes: writes)
    }

    /// Returns a place with objects and files in memory, each up to `limit` bytes.
    public static func memory(limit: Int = 32 << 20) -> ObjectBackend {
        ObjectBackend(
            objects: MemoryObjectStorage(limit: limit), files: MemoryResponseCache(maximumBytes: limit))
    }
}
