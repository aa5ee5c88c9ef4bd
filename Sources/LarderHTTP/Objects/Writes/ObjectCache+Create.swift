internal import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import Logging

/// The outcome of creating an object.
public enum CreateOutcome: Hashable, Sendable {
    /// The server created this object, under the id that it assigned.
    case created(StoredObject)
    /// The object waits for a connection in memory, under this temporary name (``ObjectCache/name(of:)``) and this
    /// identity.
    case queued(ObjectName, UUIDBytes)
}

extension ObjectCache {
    /// An error for a response that does not identify the object that the server created.
    struct MissingID: Error {}

    /// Creates an object on the server, and stores it under the id that the server assigns.
    ///
    /// The object is stored as the response contains it. Where the response contains none, the payload is stored under
    /// ``ObjectService/id(ofCreated:)``.
    ///
    /// Without a connection, a new object of a class in memory waits there as a save does, and is shown and changed
    /// under a temporary name. Once the server has created it, that name leads to the new one. Waiting writes about the
    /// object follow it, except for payloads that mention its name. A new object of a persistent class does not wait.
    ///
    /// ```swift
    /// if case .made(let note) = try await objects.create(class: "Note", payload: payload) { show(note.name.id) }
    /// ```
    ///
    /// - Throws: ``HTTPCacheError/parse(_:)`` where the server created the object and did not report its id, so that
    ///   nothing is stored; ``HTTPCacheError/transport(_:)`` where the object may not wait; otherwise as
    ///   ``save(_:payload:strategy:persistence:)``.
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
            guard let made else { throw .parse(MissingID()) }
            return .created(made)
        case .queued(let id): return .queued(name, id)
        }
    }

    /// Returns the server's name of an object that was created without a connection; the name itself where it is no
    /// temporary one, or the object is not created yet.
    ///
    /// Temporary names are known for the lifetime of the cache. Requests, writes and removals by a temporary name apply
    /// to the object.
    public func name(of name: ObjectName) -> ObjectName { writes.name(of: name) ?? name }

    /// Replaces a temporary object with the one that the server created, and moves the writes that wait about it to the
    /// new name.
    ///
    /// - Parameter made: the created object; nil where the response did not identify it. The temporary object is then
    ///   removed.
    func replaceTemporary(_ temporary: ObjectName, _ made: StoredObject?, by id: UUIDBytes) async throws {
        guard let made else {
            host.logger.warning("an object was created, and the response does not contain its id")
            for item in writes.all.reversed() where item.write.object == temporary { try await revert(item.write.id) }
            return
        }
        order.recordWrite(of: .object(made.name))
        try await memory.objects.apply(deciding: { [self] in
            writes.remove(id)
            writes.rename(temporary, to: made.name) { renamed($0, to: made.name) }
            return [.remove(temporary), writes.rebase(on: made) ?? .put(made)]
        })
    }

    /// Returns a waiting write with the object's new name. A write for which the service has no request stays
    /// unchanged, and fails when it is sent.
    private func renamed(_ item: MemoryWrites.Item, to name: ObjectName) -> MemoryWrites.Item {
        var item = item
        try? rename(&item.write, &item.kind, &item.effects, to: name)
        item.undo = item.undo.map { $0.withName(name) }
        return item
    }

    /// Changes a write to refer to its object by another name.
    ///
    /// - Throws: ``HTTPCacheError/invalidRequest(_:)`` when the service has no request for it.
    func rename(
        _ made: inout QueuedWrite, _ kind: inout ObjectWrite, _ changes: inout [ObjectChange], to name: ObjectName
    ) throws(HTTPCacheError) {
        do {
            let place = try service.target(of: kind.withName(name))
            (made.method, made.path, made.object) = (place.method, place.path, name)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        kind = kind.withName(name)
        changes = changes.map { $0.withName(name) }
    }
}

extension ObjectChange {
    /// Returns the same change of another object, for the changes that a write makes.
    fileprivate func withName(_ name: ObjectName) -> ObjectChange {
        switch self {
        case .put(var object):
            object.name = name
            return .put(object)
        case .remove: return .remove(name)
        default: return self
        }
    }
}
