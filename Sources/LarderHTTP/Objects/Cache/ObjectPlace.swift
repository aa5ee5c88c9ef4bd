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

    /// Objects in `store`, and files in a cache that should lie in the same one.
    public static func store(_ store: Store, files: any ResponseCache) -> ObjectPlace {
        ObjectPlace(objects: StoreObjectStorage(store), files: files)
    }

    /// Objects in memory, and files in a cache that should be in memory, too.
    public static func memory(files: any ResponseCache, limit: Int = 32 << 20) -> ObjectPlace {
        ObjectPlace(objects: MemoryObjectStorage(limit: limit), files: files)
    }
}
