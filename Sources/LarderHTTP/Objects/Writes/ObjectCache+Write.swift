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
    /// When the server's answer holds the object, it is kept as that has it; by ``ObjectCacheOptions/loadsSaved`` the server is asked for it
    /// otherwise. A write that waits loads what the server made of it when it is sent.
    ///
    /// Writes to one object are sent in order; waiting writes are sent first. A write of a class in memory waits
    /// there, and is lost with the program; one of a persistent class waits in the ``WriteQueue``. If the server refuses it
    /// in the end, its effect is taken back.
    ///
    /// While a write to the object is being sent, a second one waits for it: readers see the second once the first is
    /// answered or has timed out (``ObjectCacheOptions/timeouts``), whatever its strategy. Cancelling its task does not end
    /// that wait.
    ///
    /// A write is made under the account that is signed in when this is called (``WriteQueue/gate()``), and is sent, queued and
    /// kept only while that one is; for another one it fails. While the login has expired it is queued.
    ///
    /// What an answer means is what the outbox makes of it (``WriteQueue/verdict(reading:to:)``): what a captive portal answers in
    /// the server's place (a redirection, 511, an HTML page), success that breaks off, 401, 408, 425, 429, 5xx and a 409 with
    /// Retry-After have it queued. A wait that the server asked for (`Retry-After`) counts so too until it is over, for reads as well.
    ///
    /// With ``ObjectStrategy/networkOnly`` nothing is queued and nothing is kept (a deleted object is still removed locally):
    /// older writes about the object that wait are sent first, and where they cannot be, this one is not sent either.
    ///
    /// - Throws: ``HTTPCacheError/server(_:)`` when the server refuses it, and nothing is changed then;
    ///   ``HTTPCacheError/transport(_:)`` when it may not be queued; ``HTTPCacheError/notSignedIn`` when nobody is signed in (any
    ///   more) or another account is; ``HTTPCacheError/notConfigured(_:)``, ``HTTPCacheError/unreadable(_:)`` when it could not be queued or kept.
    @discardableResult
    public func save(
        _ name: ObjectName, payload: [UInt8], strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> WriteOutcome {
        let object = StoredObject(name: name, updatedAt: host.now(), codec: service.codec, payload: payload)
        return try await write(
            .save(name), payload, [.put(object)], strategy ?? options.strategy, try target(name.className, persistence)
        ).outcome
    }

    /// Removes an object from the server and, with its files, from what is kept, or queues that; otherwise as
    /// ``save(_:payload:strategy:persistence:)``.
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
    /// - Parameter contentType: the media type of the content; nil is that of ``ObjectService/contentType(of:)``.
    /// - Throws: ``HTTPCacheError/uploadTooLarge(actual:limit:)`` when it would have to wait and is longer than the limit
    ///   for files, which does not hold while the server can be reached; otherwise as
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

    /// Makes a write, and returns what became of it, and the object as the server's answer has it.
    func write(
        _ write: ObjectWrite, _ payload: [UInt8], _ changes: [ObjectChange], contentType: String? = nil,
        _ strategy: ObjectStrategy, _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> (outcome: WriteOutcome, made: StoredObject?) {
        let made = try queuedWrite(write, payload, contentType, of: accountOfNow())
        let count = writes.removalCount
        await serializer.acquire(write.object, isCancellable: false)
        defer { serializer.release(write.object) }
        try checkNotGivenUp(since: count)
        let isTooLong = if case .upload = write { Int64(payload.count) > options.fileLimit } else { false }
        // The queue knows no object whose name is to change.
        let isUnqueued = if case .create = write { target == .persistent } else { false }
        let queue = try isUnqueued ? writeQueue : queue(for: write.object, target)
        let attempt: WriteAttempt
        if strategy == .cacheOnly {
            attempt = .waits(.transport(.noConnection(reason: "the strategy does not ask")))
        } else if strategy == .networkOnly || isTooLong || isUnqueued {
            // It cannot wait, so that only what is about its object goes before it.
            attempt = try await sendUnqueued(made, write, strategy == .networkOnly ? [] : changes, queue, target)
        } else if try await hasWaiting(before: write.object, queue) {
            // An older write must not arrive after this one.
            attempt = .waits(.transport(.noConnection(reason: "older writes wait")))
        } else {
            attempt = try await sendAndKeep(made, write, changes, in: target)
        }
        switch attempt {
        case .accepted(let head, let object): return (.sent(head), object)
        case .refused(let head): throw .server(head)
        case .failed(let error): throw error
        case .waits(let error, _):
            if strategy == .networkOnly || isUnqueued { throw error }
            if isTooLong { throw .uploadTooLarge(actual: Int64(payload.count), limit: options.fileLimit) }
            var tried = made
            tried.isInDoubt = error.mayHaveArrived
            try await wait(tried, write, changes, queue, ifStillAt: count)
            return (.queued(made.id), nil)
        }
    }

    /// The write as it is sent, or waits.
    private func queuedWrite(
        _ write: ObjectWrite, _ payload: [UInt8], _ contentType: String?, of account: String?
    ) throws(HTTPCacheError) -> QueuedWrite {
        do {
            let place = try service.target(of: write)
            // A write is queued also while no request can be made, for want of a token perhaps.
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

    private func sendAndKeep(
        _ made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], in target: ObjectPersistence
    ) async throws(HTTPCacheError) -> WriteAttempt {
        let start = order.begin()
        defer { order.end(start) }
        var (made, write, changes) = (made, write, changes)
        // What was sent before it may have made the object.
        if let name = writes.name(of: write.object) { try rename(&made, &write, &changes, to: name) }
        let attempt = await send(made, write)
        guard case .accepted(_, let loaded) = attempt else { return attempt }
        writes.noteAcceptance(schedule, at: host.elapsed())
        // What the server made of it, where the write is to be kept at all.
        if let loaded {
            changes = changes.map { _ in .put(loaded) }
        } else if case .create = write {
            changes = []
        }
        let (sent, kind, due) = (made, write.about(loaded?.name ?? write.object), changes)
        // In a task of its own: the caller's may be cancelled, and then the older value would stay.
        await Task {
            do throws(HTTPCacheError) {
                try checkAccount(of: sent)
                try await change(due, kind, since: start, in: target)
            } catch {
                // The server has it, and that is what was asked.
                host.logger.warning("a write that was sent could not be kept: \(error)")
            }
        }.value
        if options.loadsSaved, loaded == nil, !due.isEmpty, case .save(let name) = kind { await load(name, in: target) }
        return attempt
    }

    private func load(_ name: ObjectName, in target: ObjectPersistence) async {
        do throws(HTTPCacheError) {
            _ = try await ask(ObjectInquiry(name: name), keepingIn: target)
        } catch {
            host.logger.info("what a write has become could not be loaded: \(error)")
        }
    }

    /// Sends a write that may not wait, behind the older ones about its object.
    private func sendUnqueued(
        _ made: QueuedWrite, _ write: ObjectWrite, _ changes: [ObjectChange], _ queue: (any WriteQueue)?,
        _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> WriteAttempt {
        guard isOnline() else { return .waits(.transport(.noConnection(reason: "the host says so"))) }
        do {
            if writes.isWaiting(about: made.object) { try await sendQueued() }
            if let queue, try isWaiting(about: made.object, in: queue) {
                try await queue.sendWaiting(about: made.object)
            }
        } catch {
            throw .reading(error)
        }
        var isBehind = writes.isWaiting(about: made.object)
        if let queue, try isWaiting(about: made.object, in: queue) { isBehind = true }
        if isBehind { return .waits(.transport(.noConnection(reason: "older writes about the object wait"))) }
        return try await sendAndKeep(made, write, changes, in: target)
    }
}
