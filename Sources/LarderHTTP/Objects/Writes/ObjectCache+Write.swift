public import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// The outcome of a write.
public enum WriteOutcome: Sendable {
    /// The server accepted the write, and responded with this head.
    case sent(HTTPResponse)
    /// The write waits for a connection, under this identity.
    case queued(UUIDBytes)
}

extension ObjectCache {
    /// Saves an object: sends it, or queues it while the server cannot be reached. Either way the new version is
    /// stored.
    ///
    /// When the server's response contains the object, that version is stored. Otherwise, if
    /// ``ObjectCacheOptions/loadsAfterSave`` is set, the object is loaded from the server. A write that waited in memory
    /// stores the object only from its response; one in the ``WriteQueue`` is loaded as that queue does.
    ///
    /// Writes to one object are sent in order, and waiting writes are sent first. A write of a class in memory waits
    /// there, and is lost with the program. A write of a persistent class waits in the ``WriteQueue``. If the server
    /// finally refuses the write, its effect is undone.
    ///
    /// While a write to the object is being sent, a second one waits for it, whatever its strategy. Readers see the
    /// second once the first has its response or has timed out (``ObjectCacheOptions/timeouts``). Cancelling the task
    /// of the second does not end that wait.
    ///
    /// A write is made under the account that is signed in at the call (``WriteQueue/authenticationState()``). It is sent, queued and
    /// stored only while that account is signed in; under another account it fails. While the login has expired it is
    /// queued.
    ///
    /// Responses are judged as by the outbox (``WriteQueue/verdict(reading:to:)``). The write is queued after a captive
    /// portal's response (a redirection, 511, an HTML page), a success that breaks off, 401, 408, 425, 429, 5xx, and a
    /// 409 with Retry-After. It is also queued until a wait that the server requested (`Retry-After`) is over; that
    /// wait holds for reads as well.
    ///
    /// With ``ObjectStrategy/networkOnly`` nothing is queued and nothing is stored; a deleted object is still removed
    /// locally. Older waiting writes about the object are sent first. If they cannot be sent, this one is not sent
    /// either.
    ///
    /// - Throws: ``HTTPCacheError/server(_:)`` when the server refuses the write, and nothing is changed then;
    ///   ``HTTPCacheError/transport(_:)`` when it may not be queued; ``HTTPCacheError/notSignedIn`` when no account is
    ///   signed in, or another one; ``HTTPCacheError/notConfigured(_:)``, ``HTTPCacheError/unreadable(_:)`` when it
    ///   could not be queued or stored.
    @discardableResult
    public func save(
        _ name: ObjectName, payload: [UInt8], strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        let object = StoredObject(name: name, updatedAt: host.now(), codec: service.codec, payload: payload)
        return try await write(
            .save(name), payload, [.put(object)], strategy ?? options.strategy, try target(name.className, persistence)
        ).outcome
    }

    /// Removes an object from the server and, with its files, from storage, or queues the removal.
    ///
    /// - Throws: as ``save(_:payload:strategy:persistence:)``.
    @discardableResult
    public func delete(
        _ name: ObjectName, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        try await write(
            .delete(name), [], [.remove(name)], strategy ?? options.strategy,
            try target(name.className, persistence)
        ).outcome
    }

    /// Sends the content of a file, or queues it while the server cannot be reached.
    ///
    /// - Parameters:
    ///   - content: the content.
    ///   - file: the file or image.
    ///   - contentType: the media type of the content; nil is that of ``ObjectService/contentType(of:)``.
    ///   - strategy: nil is that of the options.
    ///   - persistence: selects the queue that it waits in; nil is that of the object's class.
    /// - Throws: ``HTTPCacheError/uploadTooLarge(actual:limit:)`` when the content would have to wait and is longer
    ///   than the limit for files; the limit does not apply to content that is sent at once. Otherwise as
    ///   ``save(_:payload:strategy:persistence:)``.
    @discardableResult
    public func upload(
        _ content: [UInt8], to file: ObjectFile, contentType: String? = nil, strategy: ObjectStrategy? = nil,
        persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        try await write(
            .upload(file), content, [], contentType: contentType, strategy ?? options.strategy,
            try target(file.object.className, persistence)
        ).outcome
    }

    /// Performs a write, and returns its outcome and the object in the server's response.
    func write(
        _ write: ObjectWrite, _ payload: [UInt8], _ changes: [ObjectChange], contentType: String? = nil,
        _ strategy: ObjectStrategy, _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> (outcome: WriteOutcome, made: StoredObject?) {
        let made = try queuedWrite(write, payload, contentType, of: currentAccount())
        let count = writes.removalCount
        await serializer.acquire(write.object, isCancellable: false)
        defer { serializer.release(write.object) }
        try checkNotDiscarded(since: count)
        let isTooLong = if case .upload = write { Int64(payload.count) > options.fileLimit } else { false }
        // The queue cannot change the name of an object.
        let isUnqueued = if case .create = write { target == .persistent } else { false }
        let queue = try isUnqueued ? writeQueue : queue(for: write.object, target)
        let attempt: WriteTry
        if strategy == .cacheOnly {
            attempt = .deferred(.transport(.noConnection(reason: "the strategy does not use the network")))
        } else if strategy == .networkOnly || isTooLong || isUnqueued {
            // The write cannot wait, so only older writes about its object are sent before it.
            attempt = try await sendUnqueued(made, write, strategy == .networkOnly ? [] : changes, queue, target)
        } else if try await hasWaiting(before: write.object, queue) {
            // An older write must not arrive after this one.
            attempt = .deferred(.transport(.noConnection(reason: "older writes wait")))
        } else {
            attempt = try await sendAndStore(made, write, changes, in: target)
        }
        switch attempt {
        case .accepted(let head, let object): return (.sent(head), object)
        case .refused(let head): throw .server(head)
        case .failed(let error): throw error
        case .deferred(let error, _):
            if strategy == .networkOnly || isUnqueued { throw error }
            if isTooLong { throw .uploadTooLarge(actual: Int64(payload.count), limit: options.fileLimit) }
            var tried = made
            tried.isInDoubt = error.mayHaveArrived
            try await enqueue(tried, write, changes, queue, ifStillAt: count)
            return (.queued(made.id), nil)
        }
    }

    /// Returns the write in the form in which it is sent, or waits.
    private func queuedWrite(
        _ write: ObjectWrite, _ payload: [UInt8], _ contentType: String?, of account: String?
    ) throws(HTTPCacheError) -> QueuedWrite {
        do {
            let place = try service.target(of: write)
            // A write is queued even while no request can be made, perhaps because a token is missing.
            let type =
                contentType ?? service.contentType(of: write)
                ?? (try? service.request(place.method, place.path))?.headerFields[.contentType]
            return QueuedWrite(
                id: host.makeID(), createdAt: host.now(), method: place.method, path: place.path, payload: payload,
                object: write.object, contentType: type, account: account)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
    }

    private func sendAndStore(
        _ made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], in target: ObjectPersistence
    ) async throws(HTTPCacheError) -> WriteTry {
        let start = order.begin()
        defer { order.end(start) }
        var (made, write, changes) = (made, write, changes)
        // A write sent before this one may have created the object.
        if let name = writes.name(of: write.object) { try rename(&made, &write, &changes, to: name) }
        let attempt = await send(made, write)
        guard case .accepted(_, let loaded) = attempt else { return attempt }
        writes.recordAcceptance(schedule, at: host.elapsed())
        // The server's version replaces the local one, where the write is to be stored at all.
        if let loaded {
            changes = changes.map { _ in .put(loaded) }
        } else if case .create = write {
            changes = []
        }
        let (sent, kind, due) = (made, write.withName(loaded?.name ?? write.object), changes)
        // The changes are stored in a separate task: the caller's may be cancelled, and then the older value would
        // stay.
        await Task {
            do throws(HTTPCacheError) {
                try checkAccount(of: sent)
                try await apply(due, kind, since: start, in: target)
            } catch {
                // The server has the write, as the caller requested, so this is no error of the call.
                host.logger.warning("a write that was sent could not be stored: \(error)")
            }
        }.value
        if options.loadsAfterSave, loaded == nil, !due.isEmpty, case .save(let name) = kind {
            await load(name, in: target)
        }
        return attempt
    }

    private func load(_ name: ObjectName, in target: ObjectPersistence) async {
        do throws(HTTPCacheError) {
            _ = try await fetch(SingleObjectLookup(name: name), storingIn: target)
        } catch {
            host.logger.info("the object could not be loaded after its write: \(error)")
        }
    }

    /// Sends a write that may not wait, after the older ones about its object.
    private func sendUnqueued(
        _ made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], _ queue: (any WriteQueue)?,
        _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> WriteTry {
        guard isOnline() else { return .deferred(.transport(.noConnection(reason: "the host says so"))) }
        do {
            if writes.isWaiting(about: made.object) { try await sendQueued() }
            if let queue, try isWaiting(about: made.object, in: queue) {
                try await queue.sendWaiting(about: made.object)
            }
        } catch {
            throw .wrapping(error)
        }
        var isBehind = writes.isWaiting(about: made.object)
        if let queue, try isWaiting(about: made.object, in: queue) { isBehind = true }
        if isBehind { return .deferred(.transport(.noConnection(reason: "older writes about the object wait"))) }
        return try await sendAndStore(made, write, changes, in: target)
    }
}
