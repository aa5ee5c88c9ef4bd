internal import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import Logging

/// What became of a new object.
public enum CreateOutcome: Hashable, Sendable {
    /// The server made it: as it is now, under the id that the server gave it.
    case made(StoredObject)
    /// It waits for a connection in memory, under this temporary name (``ObjectCache/name(of:)``) and this identity.
    case queued(ObjectName, UUIDBytes)
}

extension ObjectCache {
    /// The server made an object, and its answer does not say which.
    struct NoID: Error {}

    /// Has the server make an object, and keeps it under the id that the server gives it.
    ///
    /// What the answer holds is the object; where it holds none, the payload is kept under ``ObjectService/id(ofCreated:)``.
    ///
    /// Without a connection, a new object of a class in memory waits there as a save does, and is shown and changed under a temporary
    /// name. Once the server has made it, that name leads to it: what waits about the object follows it, except for payloads that
    /// mention its name. A new object of a persistent class does not wait.
    ///
    /// ```swift
    /// if case .made(let note) = try await objects.create(class: "Note", payload: payload) { show(note.name.id) }
    /// ```
    ///
    /// - Throws: ``HTTPCacheError/parse(_:)`` where the server made it and did not say its id, so that nothing is kept;
    ///   ``HTTPCacheError/transport(_:)`` where it may not wait; otherwise as ``save(_:payload:strategy:persistence:)``.
    @discardableResult
    public func create(
        class className: String, payload: [UInt8], strategy: ObjectStrategy? = nil,
        persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> CreateOutcome {
        let name = ObjectName(class: className, id: host.makeID().description)
        let object = StoredObject(name: name, updatedAt: host.now(), codec: service.codec, payload: payload)
        let (outcome, made) = try await write(
            .create(name), payload, [.put(object)], strategy ?? options.strategy, try target(className, persistence))
        switch outcome {
        case .sent:
            guard let made else { throw .parse(NoID()) }
            return .made(made)
        case .queued(let id): return .queued(name, id)
        }
    }

    /// What the server calls an object that was created without a connection; the name itself where it is no temporary one, or the
    /// object is not made yet.
    ///
    /// Temporary names are known for as long as the cache lives. Requests, writes and removals by them are about the object.
    public func name(of name: ObjectName) -> ObjectName { writes.name(of: name) ?? name }

    /// Puts an object that the server made in the place of its temporary one, and has what waits about it follow.
    ///
    /// - Parameter made: nil where the answer did not say which it is: the temporary one goes then.
    func give(_ temporary: ObjectName, _ made: StoredObject?, by id: UUIDBytes) async throws {
        guard let made else {
            host.logger.warning("an object was made, and the server did not say its id")
            for item in writes.all.reversed() where item.write.object == temporary { try await takeBack(item.write.id) }
            return
        }
        order.noteWrite(of: .object(made.name))
        try await memory.objects.apply(deciding: { [self] in
            writes.accept(id)
            writes.follow(temporary, to: made.name) { renamed($0, to: made.name) }
            return [.remove(temporary), writes.rebase(on: made) ?? .put(made)]
        })
    }

    /// A waiting write, about an object under another name; one for which the service has no place stays, and fails when it is sent.
    private func renamed(_ item: MemoryWrites.Item, to name: ObjectName) -> MemoryWrites.Item {
        var item = item
        try? rename(&item.write, &item.kind, &item.effects, to: name)
        item.undo = item.undo.map { $0.about(name) }
        return item
    }

    /// Has a write be about an object under another name.
    func rename(
        _ made: inout QueuedWrite, _ kind: inout ObjectWrite, _ changes: inout [ObjectChange], to name: ObjectName
    ) throws(HTTPCacheError) {
        do {
            let place = try service.target(of: kind.about(name))
            (made.method, made.path, made.object) = (place.method, place.path, name)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        kind = kind.about(name)
        changes = changes.map { $0.about(name) }
    }
}

extension ObjectChange {
    /// The same change of another object, for the changes that a write makes.
    fileprivate func about(_ name: ObjectName) -> ObjectChange {
        switch self {
        case .put(var object):
            object.name = name
            return .put(object)
        case .remove: return .remove(name)
        default: return self
        }
    }
}
