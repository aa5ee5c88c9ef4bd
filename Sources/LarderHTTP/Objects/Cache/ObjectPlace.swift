public import LarderStore

/// Where one kind of persistence keeps things: objects in a storage, files in a cache of responses.
public struct ObjectPlace: Sendable {
    /// Objects and collections.
    public var objects: any ObjectStorage
    /// Files, as the responses they came in.
    public var files: any ResponseCache
    /// Where writes of persistent classes wait; without, saving them is ``HTTPCacheError/notConfigured(_:)``. Those of
    /// classes in memory wait in memory.
    public var writes: (any WriteQueue)?

    /// A place of these parts.
    public init(objects: any ObjectStorage, files: any ResponseCache, writes: (any WriteQueue)? = nil) {
        self.objects = objects
        self.files = files
        self.writes = writes
    }

    /// Objects and files in `store`, and writes in a queue of the same store.
    public static func store(_ store: Store, writes: (any WriteQueue)? = nil) -> ObjectPlace {
        ObjectPlace(objects: StoreObjectStorage(store), files: StoreResponseCache(store: store), writes: writes)
    }

    /// Objects and files in memory, each up to `limit` bytes.
    public static func memory(limit: Int = 32 << 20) -> ObjectPlace {
        ObjectPlace(
            objects: MemoryObjectStorage(limit: limit), files: MemoryResponseCache(maximumBytes: limit))
    }
}
