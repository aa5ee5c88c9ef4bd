public import LarderStore

/// Where one kind of persistence keeps things: objects in a storage, files in a cache of responses.
public struct ObjectPlace: Sendable {
    /// Objects, collections, and writes that wait.
    public var objects: any ObjectStorage
    /// Files, as the responses they came in.
    public var files: any ResponseCache

    /// A place of these parts.
    public init(objects: any ObjectStorage, files: any ResponseCache) {
        self.objects = objects
        self.files = files
    }

    /// Objects and files in `store`.
    public static func store(_ store: Store) -> ObjectPlace {
        ObjectPlace(objects: StoreObjectStorage(store), files: StoreResponseCache(store: store))
    }

    /// Objects and files in memory, each up to `limit` bytes.
    public static func memory(limit: Int = 32 << 20) -> ObjectPlace {
        ObjectPlace(
            objects: MemoryObjectStorage(limit: limit), files: MemoryResponseCache(maximumBytes: limit))
    }
}
