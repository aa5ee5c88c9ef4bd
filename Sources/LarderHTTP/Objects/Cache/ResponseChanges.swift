internal import LarderFormat
internal import LarderStore

/// The changes of a response, by where they are to be stored.
struct ResponseChanges {
    let cache: ObjectCache
    let now: Int64
    /// The server's time of the last change of the response, for objects without a time of their own.
    let lastModified: Int64?
    private(set) var changes: [ObjectPersistence: [ObjectChange]] = [:]

    init(cache: ObjectCache, now: Int64, lastModified: Int64? = nil) {
        self.cache = cache
        self.now = now
        self.lastModified = lastModified
    }

    mutating func add(_ more: [ObjectChange], to persistence: ObjectPersistence) {
        if !more.isEmpty { changes[persistence, default: []] += more }
    }

    /// Returns the objects as they will be stored, and adds their changes; those of references are added where their
    /// own class is kept.
    ///
    /// - Parameter target: where to store them; nil stores nothing.
    mutating func addObjects(
        _ received: [ReceivedObject], ofClass className: String, storingIn target: ObjectPersistence?
    ) throws(HTTPCacheError) -> [StoredObject] {
        var objects: [StoredObject] = []
        for item in received {
            let object = StoredObject(
                name: ObjectName(class: className, id: item.id), updatedAt: item.updatedAt ?? lastModified ?? now,
                codec: cache.service.codec, payload: item.payload)
            objects.append(object)
            guard let target else { continue }
            add([.put(object)], to: target)
            for references in item.references {
                let place = try cache.target(references.className, nil)
                let found = try addObjects(references.objects, ofClass: references.className, storingIn: place)
                let name = object.name.references(by: references.attribute, toClass: references.className)
                add([.putCollection(name, members: found.map(\.name), Validators(), at: now)], to: place)
            }
        }
        return objects
    }
}
