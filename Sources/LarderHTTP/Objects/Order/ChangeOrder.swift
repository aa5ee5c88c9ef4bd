internal import LarderFormat
internal import LarderStore
internal import Synchronization

/// The order of the server's responses and of the local writes and removals made during their requests.
///
/// A response shows the server's state at some time after the request began. A change made here since then is newer, so
/// the response must not be stored over it. Responses are not ordered among each other: the last one stored wins.
///
/// A change is recorded before it is made. Marks are kept only while a request that began before them is under way.
final class ChangeOrder: Sendable {
    /// The subject of a change.
    enum Subject: Hashable {
        case object(ObjectName)
        case collection(CollectionName)
        case file(ObjectFile)
        /// Every object, collection and file of a class, by the resource of its objects.
        case objectClass(ResourceKey)
        case everything
    }

    /// The last changes of a subject, as positions in the order; 0 for none.
    private struct Mark {
        var written: UInt64 = 0
        var removed: UInt64 = 0
    }

    private struct State {
        var count: UInt64 = 0
        var lastChange: UInt64 = 0
        var marks: [Subject: Mark] = [:]
        var underWay: Set<UInt64> = []

        func wasRemoved(_ subject: Subject, since start: UInt64) -> Bool {
            marks[subject].map { $0.removed > start } ?? false
        }

        func wasChanged(_ subject: Subject, since start: UInt64) -> Bool {
            marks[subject].map { max($0.written, $0.removed) > start } ?? false
        }

        func wasRemoved(classOf resource: ResourceKey, since start: UInt64) -> Bool {
            wasRemoved(.objectClass(resource), since: start) || wasRemoved(.everything, since: start)
        }
    }

    private let state = Mutex(State())

    /// Begins an exchange, and returns its position in the order; ``end(_:)`` must follow.
    func begin() -> UInt64 {
        state.withLock { state in
            state.count += 1
            state.underWay.insert(state.count)
            return state.count
        }
    }

    /// Ends an exchange, and removes the marks that no other one needs.
    func end(_ start: UInt64) {
        state.withLock { state in
            state.underWay.remove(start)
            guard let oldest = state.underWay.min() else { return state.marks = [:] }
            if start < oldest { state.marks = state.marks.filter { max($0.value.written, $0.value.removed) > oldest } }
        }
    }

    /// Records a write that is about to change a subject.
    func recordWrite(of subject: Subject) { record([subject], at: \.written) }

    /// Records that subjects are about to be removed.
    func recordRemoval(of subjects: [Subject]) { record(subjects, at: \.removed) }

    private func record(_ subjects: [Subject], at place: WritableKeyPath<Mark, UInt64>) {
        state.withLock { state in
            guard !state.underWay.isEmpty else { return }
            state.count += 1
            state.lastChange = state.count
            for subject in subjects { state.marks[subject, default: Mark()][keyPath: place] = state.count }
        }
    }
}

extension ChangeOrder {
    /// Whether anything changed.
    func hasChanges(since start: UInt64) -> Bool { state.withLock { $0.lastChange > start } }

    /// Whether an object was written or removed.
    func wasChanged(_ object: ObjectName, since start: UInt64) -> Bool {
        state.withLock { state in
            state.wasChanged(.object(object), since: start)
                || state.wasRemoved(classOf: object.row.resource, since: start)
        }
    }

    /// Whether an object was removed, by itself or with others.
    func wasRemoved(_ object: ObjectName, since start: UInt64) -> Bool {
        state.withLock { state in
            state.wasRemoved(.object(object), since: start)
                || state.wasRemoved(classOf: object.row.resource, since: start)
        }
    }

    /// Whether a collection was removed, by itself or with its class.
    func wasRemoved(_ collection: CollectionName, since start: UInt64) -> Bool {
        state.withLock { state in
            state.wasRemoved(.collection(collection), since: start)
                || state.wasRemoved(classOf: ObjectName.resource(ofClass: collection.className), since: start)
        }
    }

    /// Whether a file was written, or removed with its object.
    func wasChanged(_ file: ObjectFile, since start: UInt64) -> Bool {
        state.withLock { state in
            state.wasChanged(.file(file), since: start) || state.wasRemoved(.object(file.object), since: start)
                || state.wasRemoved(classOf: file.object.row.resource, since: start)
        }
    }
}
