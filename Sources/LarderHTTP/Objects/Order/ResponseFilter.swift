internal import LarderFormat
internal import LarderStore

/// The filter of the changes of a response: a local write or removal since the request is newer than the response.
struct ResponseFilter: Sendable {
    let order: ChangeOrder
    /// The position of the request in the order.
    let start: UInt64
    let query: ObjectQuery
    let writes: MemoryWrites
    /// The paths of the writes that waited when the request began, in memory and in the queue.
    let paths: Set<String>
    /// The objects of the writes that waited in the queue; nil where it could not be read, and nothing may be stored.
    let queued: Set<ObjectName>?

    /// Returns the changes to make in a storage, in their order.
    func applicable(_ changes: [ObjectChange], to persistence: ObjectPersistence) -> [ObjectChange] {
        if isRemoved || queued == nil { return [] }
        var unapplied: Set<ObjectName> = []
        return changes.compactMap { (change) -> ObjectChange? in
            switch change {
            case .put(let object):
                guard isUnchanged(object.name) else {
                    unapplied.insert(object.name)
                    return nil
                }
                guard let pending = writes.rebase(on: object) else { return change }
                unapplied.insert(object.name)
                if case .put = pending, persistence == .memory { return pending }
                return nil
            case .putSingleAnswer(let name, _, _), .remove(let name):
                return isUnchanged(name) && !writes.changedObjects.contains(name) ? change : nil
            case .putCollection(let name, let members, let validators, let time):
                if order.wasRemoved(name, since: start) { return nil }
                // Validators belong to the members as the server sent them.
                let isWhole = unapplied.isDisjoint(with: members)
                return .putCollection(name, members: members, isWhole ? validators : Validators(), at: time)
            case .confirmCollection: return order.hasChanges(since: start) ? nil : change
            case .removeCollection, .removeCollectionAndObjects, .removeClass: return change
            }
        }
    }

    /// Whether a file's content may be stored: no write to it or removal since the request, no write to it that waited
    /// when the request began, none that waits now.
    func allows(_ file: ObjectFile, at path: String) -> Bool {
        queued != nil && !order.wasChanged(file, since: start) && !paths.contains(path) && !writes.isWaiting(at: path)
    }

    /// Whether the requested object or collection was removed since the request.
    private var isRemoved: Bool {
        switch query {
        case .object(let name): order.wasRemoved(name, since: start)
        case .collection(let name): order.wasRemoved(name, since: start)
        case .file: false
        }
    }

    /// Whether an object is unchanged since. The response may predate a write that waited in the queue.
    private func isUnchanged(_ name: ObjectName) -> Bool {
        !order.wasChanged(name, since: start) && queued?.contains(name) == false
    }
}
