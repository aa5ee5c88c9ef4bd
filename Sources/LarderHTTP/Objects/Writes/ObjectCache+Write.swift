public import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging

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
    /// What waits already goes first. With ``ObjectStrategy/networkOnly`` nothing is queued and nothing is kept.
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
        let queued = QueuedWrite(
            id: host.makeID(), createdAt: host.now(), method: place.method, path: place.path, payload: payload)
        if strategy == .networkOnly { return .sent(try await send(queued)) }
        do throws(HTTPCacheError) {
            if strategy == .cacheOnly { throw .transport(.noConnection(reason: "the strategy does not ask")) }
            // An older write must not arrive after this one.
            if try await hasWaiting() { throw .transport(.noConnection(reason: "older writes wait")) }
            let head = try await send(queued)
            do throws(HTTPCacheError) {
                try await change(changes, write, in: target)
            } catch {
                // The server has it, and that is what was asked.
                host.logger.warning("a write that was sent could not be kept: \(error)")
            }
            return .sent(head)
        } catch {
            guard error.isUnanswered else { throw error }
            if case .upload = write, Int64(payload.count) > options.fileLimit {
                throw .uploadTooLarge(actual: Int64(payload.count), limit: options.fileLimit)
            }
            try await change([.enqueue(queued)] + changes, write, in: target)
            return .queued(queued.id)
        }
    }

    /// Sends what waits; whether some of it waits still.
    private func hasWaiting() async throws(HTTPCacheError) -> Bool {
        do {
            if try shelves.queuedWrites().isEmpty { return false }
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
    func send(_ write: QueuedWrite) async throws(HTTPCacheError) -> HTTPResponse {
        var request: HTTPRequest
        do {
            request = try service.request(write.method, write.path)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        if let name = HTTPField.Name("Idempotency-Key") { request.headerFields[name] = write.id.description }
        let response = try await send(request, body: write.method == .delete ? nil : write.payload)
        guard response.head.status.kind == .successful else { throw .server(response.head) }
        return response.head
    }
}
