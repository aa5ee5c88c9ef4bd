public import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// What became of a write.
public enum WriteOutcome: Sendable {
    /// The server took it, and answered with this head.
    case sent(HTTPResponse)
    /// It waits for a connection, under this identity.
    case queued(UUIDBytes)
}

extension ObjectCache {
    /// Saves an object: sends it, or queues it while the server cannot be reached; either way it is kept as it is now.
    ///
    /// What waits already goes first. A write of a class in memory waits there, and is lost with the program; one of a
    /// persistent class waits in the ``WriteQueue``. If the server refuses it in the end, its effect is taken back. With
    /// ``ObjectStrategy/networkOnly`` nothing is queued and nothing is kept.
    ///
    /// - Throws: ``HTTPCacheError/server(_:)`` when the server refuses it, and nothing is changed then;
    ///   ``HTTPCacheError/transport(_:)`` when it may not be queued; ``HTTPCacheError/notConfigured(_:)``,
    ///   ``HTTPCacheError/unreadable(_:)`` when it could not be queued or kept.
    @discardableResult
    public func save(
        _ name: ObjectName, payload: [UInt8], strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        let object = StoredObject(name: name, updatedAt: host.now(), codec: service.codec, payload: payload)
        return try await write(
            .save(name), payload, [.put(object)], strategy ?? options.strategy, try target(name.className, persistence))
    }

    /// Removes an object from the server and from what is kept, or queues that; otherwise as
    /// ``save(_:payload:strategy:persistence:)``.
    @discardableResult
    public func delete(
        _ name: ObjectName, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        try await write(
            .delete(name), [], [.remove(name)], strategy ?? options.strategy,
            try target(name.className, persistence))
    }

    /// Sends the content of a file, or queues it while the server cannot be reached.
    ///
    /// - Throws: ``HTTPCacheError/uploadTooLarge(actual:limit:)`` when it would have to wait and is longer than the limit
    ///   for files, which does not hold while the server can be reached; otherwise as
    ///   ``save(_:payload:strategy:persistence:)``.
    @discardableResult
    public func upload(
        _ content: [UInt8], to file: ObjectFile, strategy: ObjectStrategy? = nil,
        persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        try await write(
            .upload(file), content, [], strategy ?? options.strategy, try target(file.object.className, persistence))
    }

    private func write(
        _ write: ObjectWrite, _ payload: [UInt8], _ changes: [ObjectChange], _ strategy: ObjectStrategy,
        _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> WriteOutcome {
        let place: (method: HTTPRequest.Method, path: String)
        do {
            place = try service.target(of: write)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        var made = QueuedWrite(
            id: host.makeID(), createdAt: host.now(), method: place.method, path: place.path, payload: payload,
            object: write.object)
        if strategy == .networkOnly { return .sent(try await send(made)) }
        let queue = target == .persistent ? try persistentWrites() : nil
        do throws(HTTPCacheError) {
            if strategy == .cacheOnly { throw .transport(.noConnection(reason: "the strategy does not ask")) }
            // An older write must not arrive after this one.
            if try await hasWaiting(queue) { throw .transport(.noConnection(reason: "older writes wait")) }
            made.isInDoubt = true
            let head = try await send(made, keyField: queue?.keyField)
            do throws(HTTPCacheError) {
                try await change(changes, write, in: target)
            } catch {
                // The server has it, and that is what was asked.
                host.logger.warning("a write that was sent could not be kept: \(error)")
            }
            return .sent(head)
        } catch {
            guard error.isUnanswered else { throw error }
            made.isInDoubt = made.isInDoubt && error.mayHaveArrived
            if case .upload = write, Int64(payload.count) > options.fileLimit {
                throw .uploadTooLarge(actual: Int64(payload.count), limit: options.fileLimit)
            }
            try await wait(made, write, changes, queue)
            return .queued(made.id)
        }
    }

    /// Has a write wait, and its effect be seen.
    private func wait(
        _ made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], _ queue: (any WriteQueue)?
    ) async throws(HTTPCacheError) {
        guard let queue else {
            let undo = try undoing(changes)
            try await change(changes, write, in: .memory)
            return writes.append(made, undo: undo)
        }
        do {
            try await queue.enqueue(made, effects: changes.compactMap(\.effect))
            // What lies in memory would be found before it.
            try await memory.objects.apply(changes.compactMap { $0.object.map { .remove($0) } })
        } catch {
            throw .unreadable(error)
        }
        if case .upload(let file) = write { await dropFile(file) }
    }

    /// What restores the objects that `changes` put or remove in memory.
    private func undoing(_ changes: [ObjectChange]) throws(HTTPCacheError) -> [ObjectChange] {
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

    /// Where the writes of persistent classes wait.
    private func persistentWrites() throws(HTTPCacheError) -> any WriteQueue {
        guard let queue = state.withLock({ $0.persistent?.writes }) else {
            throw .notConfigured("a write of a persistent class waits in a queue, and none was given")
        }
        return queue
    }

    /// Whether writes of persistent classes wait; no, where that cannot be read.
    var hasWaitingWrites: Bool { (try? state.withLock { $0.persistent?.writes }?.hasWaiting()) ?? false }

    /// Sends what waits in memory; whether something waits still that comes before a write.
    private func hasWaiting(_ queue: (any WriteQueue)?) async throws(HTTPCacheError) -> Bool {
        do {
            if let queue, try queue.hasWaiting() { return true }
            if writes.all.isEmpty { return false }
            return try await sendQueued().waiting > 0
        } catch let error as HTTPCacheError {
            throw error
        } catch {
            throw .unreadable(error)
        }
    }

    /// Makes the changes of a write where it belongs; an object that is gone is gone everywhere.
    private func change(
        _ changes: [ObjectChange], _ write: ObjectWrite, in target: ObjectPersistence
    ) async throws(HTTPCacheError) {
        do {
            try await shelves.apply(changes, to: target)
            if case .delete(let name) = write { try await shelves.remove(name) }
        } catch let error as HTTPCacheError {
            throw error
        } catch {
            throw .unreadable(error)
        }
        if case .upload(let file) = write { await dropFile(file) }
    }

    /// Sends a write once; an answer that is no success is thrown.
    func send(_ write: QueuedWrite, keyField: HTTPField.Name? = nil) async throws(HTTPCacheError) -> HTTPResponse {
        var request: HTTPRequest
        do {
            request = try service.request(write.method, write.path)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        if let name = keyField ?? HTTPField.Name("Idempotency-Key") {
            request.headerFields[name] = write.id.description
        }
        let response = try await send(request, body: write.method == .delete ? nil : write.payload)
        guard response.head.status.kind == .successful else { throw .server(response.head) }
        return response.head
    }
}

extension ObjectChange {
    /// The object that a write puts or removes.
    fileprivate var object: ObjectName? {
        switch self {
        case .put(let object): object.name
        case .remove(let name): name
        default: nil
        }
    }

    /// What it does to a row until the server has the write.
    fileprivate var effect: RowEffect? {
        switch self {
        case .put(let object): RowEffect(.replacement(object.payload, codec: object.codec), at: object.name.row)
        case .remove(let name): RowEffect(.removal, at: name.row)
        default: nil
        }
    }
}
