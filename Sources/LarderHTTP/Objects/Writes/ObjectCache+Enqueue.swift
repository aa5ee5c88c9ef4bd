internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The local changes of a write, and the place where it waits.
extension ObjectCache {
    /// Queues a write, and shows its effect.
    ///
    /// - Parameter count: the ``MemoryWrites/removalCount`` when the write was made.
    /// - Throws: ``HTTPCacheError/transport(_:)`` when the waiting writes were discarded since;
    ///   ``HTTPCacheError/notSignedIn``, ``HTTPCacheError/otherServer(_:)``, ``HTTPCacheError/unreadable(_:)``.
    func enqueue(
        _ made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], _ queue: (any WriteQueue)?,
        ifStillAt count: Int
    ) async throws(HTTPCacheError) {
        var (made, write, changes) = (made, write, changes)
        if let name = writes.name(of: write.object) { try rename(&made, &write, &changes, to: name) }
        try await enqueue(asNamed: made, write, changes, queue, ifStillAt: count)
        // The object may have received its name in between.
        if writes.name(of: write.object) != nil { try await enqueue(made, write, changes, queue, ifStillAt: count) }
    }

    private func enqueue(
        asNamed made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], _ queue: (any WriteQueue)?,
        ifStillAt count: Int
    ) async throws(HTTPCacheError) {
        // Without a network nothing was sent, and no server was checked yet. Where no request can be made now, perhaps
        // because a token is missing, the server is checked when the write is sent.
        if let request = try? request(for: made) { try await checkServer(request) }
        recordChange(write)
        do {
            try checkAccount(of: made)
            try await discardWritesOfOtherAccounts()
            if let queue {
                try checkNotDiscarded(since: count)
                let older = writes.all.filter { $0.write.object == made.object }
                try await move(older, to: queue)
                try await queue.enqueue(made, effects: changes.compactMap(\.effect))
                // A request sent since the first record did not find the write in the queue.
                recordChange(write)
                // An object in memory would be found before the queued one.
                let moved = Set((older.flatMap(\.effects) + changes).compactMap(\.object))
                try await memory.objects.apply(moved.map { .remove($0) })
            } else {
                let undo = try undoChanges(changes)
                // The write and its effect are stored in one step, so that neither a response nor a removal comes in
                // between.
                try await memory.objects.apply(deciding: { [writes] in
                    writes.append(made, write, effects: changes, undo: undo, ifStillAt: count) ? changes : []
                })
                try checkNotDiscarded(since: count)
            }
        } catch {
            // The caller receives an error, so the write must not wait.
            if queue == nil { writes.remove(made.id) }
            throw .wrapping(error)
        }
        await dropFiles(of: write)
    }

    /// Checks that the waiting writes were not discarded since `count` was their ``MemoryWrites/removalCount``. A write
    /// made before that is one of them, and must not be sent under the credentials of the next account.
    ///
    /// - Throws: ``HTTPCacheError/transport(_:)`` when they were.
    func checkNotDiscarded(since count: Int) throws(HTTPCacheError) {
        guard writes.removalCount == count else { throw .transport(.cancelled) }
    }

    /// Moves writes that wait in memory into the queue, where a later write about the same object is to wait behind
    /// them.
    ///
    /// - Throws: ``HTTPCacheError/notConfigured(_:)`` for the creation of an object; as
    ///   ``WriteQueue/enqueue(_:effects:)``.
    private func move(_ items: [MemoryWrites.Item], to queue: any WriteQueue) async throws {
        for item in items {
            if case .create = item.kind {
                throw HTTPCacheError.notConfigured("an object that the server has no id for yet waits in memory only")
            }
            try await queue.enqueue(item.write, effects: item.effects.compactMap(\.effect))
            writes.remove(item.write.id)
        }
    }

    /// Returns the changes that restore the objects that `changes` put or remove in memory.
    private func undoChanges(_ changes: [ObjectChange]) throws(HTTPCacheError) -> [ObjectChange] {
        var undo: [ObjectChange] = []
        for name in changes.compactMap(\.object) {
            do {
                undo.append(try memory.objects.object(name).map { .put($0.object) } ?? .remove(name))
            } catch {
                throw .unreadable(error)
            }
        }
        return undo
    }

    /// Returns the queue in which a write waits if it has to: a write of a persistent class does, and so does one with
    /// older writes there. Nil where it waits in memory.
    ///
    /// - Throws: ``HTTPCacheError/notConfigured(_:)`` for a persistent class without a queue;
    ///   ``HTTPCacheError/unreadable(_:)``.
    func queue(
        for object: ObjectName, _ target: ObjectPersistence
    ) throws(HTTPCacheError) -> (any WriteQueue)? {
        let queue = writeQueue
        if target == .memory {
            guard let queue, try isWaiting(about: object, in: queue) else { return nil }
            return queue
        }
        guard let queue else {
            throw .notConfigured("a write of a persistent class waits in a queue, and none was given")
        }
        return queue
    }

    func isWaiting(about object: ObjectName, in queue: any WriteQueue) throws(HTTPCacheError) -> Bool {
        do {
            return try queue.waiting().contains { $0.entity == object.description }
        } catch {
            throw .wrapping(error)
        }
    }

    /// Whether writes of persistent classes wait. True where that cannot be read, because a response must not hide a
    /// write.
    var hasWaitingWrites: Bool {
        do {
            return try writeQueue?.hasWaiting() ?? false
        } catch {
            return true
        }
    }

    /// Sends the writes that wait in memory, and returns whether any write that still waits comes before a write about
    /// an object.
    func hasWaiting(before object: ObjectName, _ queue: (any WriteQueue)?) async throws(HTTPCacheError) -> Bool {
        do {
            if let queue, try queue.hasWaiting() { return true }
            if writes.all.isEmpty { return false }
            try await sendQueued(revivesAll: false)
            // A pass that was under way does not include writes queued behind it.
            return writes.blocks(object)
        } catch {
            throw .wrapping(error)
        }
    }

    /// Applies the changes of a write in its storage. A deleted object is removed from both storages.
    ///
    /// - Parameter start: when the write was sent. An object that was removed from storage since then is not restored.
    func apply(
        _ changes: [ObjectChange], _ write: ObjectWrite, since start: UInt64, in target: ObjectPersistence
    ) async throws(HTTPCacheError) {
        recordChange(write)
        do {
            let made = try await tieredStorage.apply(changes, to: target) { [order] changes in
                changes.map { change in
                    guard case .put(let object) = change, order.wasRemoved(object.name, since: start) else {
                        return change
                    }
                    // A response stored since the removal may predate the write.
                    return .remove(object.name)
                }
            }
            let isRemoved = if case .delete = write { true } else { made.contains(.remove(write.object)) }
            if isRemoved { try await tieredStorage.remove(write.object) }
        } catch {
            throw .wrapping(error)
        }
        await dropFiles(of: write)
    }

    /// Records that a write is about to change stored content.
    func recordChange(_ write: ObjectWrite) {
        switch write {
        case .create(let name), .save(let name): order.recordWrite(of: .object(name))
        case .delete(let name): order.recordRemoval(of: [.object(name)])
        case .upload(let file): order.recordWrite(of: .file(file))
        }
    }

    /// Removes the files that a write has replaced or removed.
    func dropFiles(of write: ObjectWrite) async {
        switch write {
        case .create, .save: break
        case .delete(let name): await dropFiles(.prefix(ObjectFile.keyPrefix(of: name)))
        case .upload(let file): await dropFiles(.key(file.key))
        }
    }
}

extension ObjectChange {
    /// The object that the change puts or removes.
    fileprivate var object: ObjectName? {
        switch self {
        case .put(let object): object.name
        case .remove(let name): name
        default: nil
        }
    }

    /// The effect on a row until the server has the write.
    fileprivate var effect: RowEffect? {
        switch self {
        case .put(let object): RowEffect(.replacement(object.payload, codec: object.codec), at: object.name.row)
        case .remove(let name): RowEffect(.removal, at: name.row)
        default: nil
        }
    }
}
