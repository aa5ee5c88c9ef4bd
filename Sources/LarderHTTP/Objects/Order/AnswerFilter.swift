internal import LarderFormat
internal import LarderStore

/// Decides which changes of an answer are still made: what was written or removed here since the server was asked is newer.
struct AnswerFilter: Sendable {
    let order: ChangeOrder
    /// When the server was asked.
    let start: UInt64
    let question: ObjectQuestion
    let writes: MemoryWrites
    /// The paths of the writes that waited when the server was asked, in memory and in the queue.
    let paths: Set<String>
    /// The objects of those that waited in the queue; nil where it could not be read, and nothing may be kept.
    let queued: Set<ObjectName>?

    /// The changes to make in a storage, in their order.
    func admitted(_ changes: [ObjectChange], to persistence: ObjectPersistence) -> [ObjectChange] {
        if isRemoved || queued == nil { return [] }
        var held: Set<ObjectName> = []
        return changes.compactMap { (change) -> ObjectChange? in
            switch change {
            case .put(let object):
                guard isUnchanged(object.name) else {
                    held.insert(object.name)
                    return nil
                }
                guard let pending = writes.rebase(on: object) else { return change }
                held.insert(object.name)
                if case .put = pending, persistence == .memory { return pending }
                return nil
            case .noteSingle(let name, _, _), .remove(let name):
                return isUnchanged(name) && !writes.changedObjects.contains(name) ? change : nil
            case .putCollection(let name, let members, let validators, let time):
                if order.wasRemoved(name, since: start) { return nil }
                // Validators speak of the members as they came.
                let isWhole = held.isDisjoint(with: members)
                return .putCollection(name, members: members, isWhole ? validators : Validators(), at: time)
            case .confirmCollection: return order.hasChanges(since: start) ? nil : change
            case .removeCollection, .removeCollectionAndObjects, .removeClass: return change
            }
        }
    }

    /// Whether a file's content may be stored: no write to it since the request, none waiting when it began, none waiting
    /// now.
    func admits(_ file: ObjectFile, at path: String) -> Bool {
        queued != nil && !order.wasChanged(file, since: start) && !paths.contains(path) && !writes.isWaiting(at: path)
    }

    /// Whether what was asked for was removed.
    private var isRemoved: Bool {
        switch question {
        case .object(let name): order.wasRemoved(name, since: start)
        case .collection(let name): order.wasRemoved(name, since: start)
        case .file: false
        }
    }

    /// A write that waited in the queue may have been sent since: the answer may predate it.
    private func isUnchanged(_ name: ObjectName) -> Bool {
        !order.wasChanged(name, since: start) && queued?.contains(name) == false
    }
}
