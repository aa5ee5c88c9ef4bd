internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// One lookup, by one strategy.
extension ObjectCache {
    func answer<ValueLookup: ObjectLookup>(
        _ lookup: ValueLookup, _ strategy: ObjectStrategy, _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> Fetched<ValueLookup.Value> {
        try await discardWritesOfOtherAccounts()
        switch strategy {
        case .networkOnly: return try await fetch(lookup, storingIn: nil)
        case .cacheOnly:
            guard let stored = storedValue(lookup) else { throw .notCached(ObjectReason.notStored) }
            return answer(stored, .cache, reuse: stored.isComplete ? ObjectReason.anyAge : ObjectReason.incomplete)
        case .cacheElseNetwork:
            if let stored = storedValue(lookup), stored.isComplete {
                return answer(stored, .cache, reuse: ObjectReason.anyAge)
            }
            return try await fetchElseStored(lookup, target)
        case .cacheThenNetwork:
            guard let stored = storedValue(lookup) else { return try await fetch(lookup, storingIn: target) }
            refresh { () async throws(HTTPCacheError) in _ = try await self.fetch(lookup, storingIn: target) }
            return answer(stored, .cache, reuse: ObjectReason.cacheFirst, isIntermediate: true)
        case .networkElseCache: return try await fetchElseStored(lookup, target)
        }
    }

    /// Sends a request in the background; a failure is logged.
    func refresh(_ fetch: @escaping @Sendable () async throws(HTTPCacheError) -> Void) {
        Task { [host] in
            do throws(HTTPCacheError) {
                try await fetch()
            } catch {
                host.logger.info("a stored value could not be refreshed: \(error)")
            }
        }
    }

    private func fetchElseStored<ValueLookup: ObjectLookup>(
        _ lookup: ValueLookup, _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> Fetched<ValueLookup.Value> {
        do throws(HTTPCacheError) {
            return try await fetch(lookup, storingIn: target)
        } catch {
            guard error.isServerUnavailable, let stored = storedValue(lookup) else { throw error }
            var answer = answer(stored, .cache, reuse: ObjectReason.unreachable)
            answer.state = .expiredServedOffline(since: stored.since)
            return answer
        }
    }

    /// Returns the server's response, stored in `target` unless that is nil; after a 304 the stored value.
    func fetch<ValueLookup: ObjectLookup>(
        _ lookup: ValueLookup, storingIn target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<ValueLookup.Value> {
        let filter = beginRequest(for: lookup.query)
        defer { order.end(filter.start) }
        let kind = options.validators.kind(of: lookup.query)
        let known = target == nil ? nil : storedValue(lookup)
        if let kind, let known, known.isComplete, !known.validators.isEmpty {
            var request = try request(for: lookup.query)
            kind.strip(&request)
            kind.apply(known.validators, to: &request)
            let response = try await send(request, body: nil)
            if response.head.status != .notModified {
                return try await storeResponse(response, lookup, kind, filter, target)
            }
            // The stored value may have been removed or replaced during the request.
            if let stored = storedValue(lookup), stored.isComplete, stored.validators == known.validators {
                return await recordConfirmation(stored, lookup, kind.validators(in: response.head), filter, target)
            }
        }
        var request = try request(for: lookup.query)
        kind?.strip(&request)
        return try await storeResponse(try await send(request, body: nil), lookup, kind, filter, target)
    }

    /// Stores a response, and returns its value.
    private func storeResponse<ValueLookup: ObjectLookup>(
        _ response: TransportResponse, _ lookup: ValueLookup, _ kind: ValidatorFields.Kind?, _ filter: ResponseFilter,
        _ target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<ValueLookup.Value> {
        guard response.head.status.kind == .successful else { throw .server(response.head) }
        let body: [UInt8]
        do throws(TransportError) {
            body = try await response.body.collect(upTo: options.responseLimit)
        } catch {
            throw .transport(error)
        }
        let now = host.now()
        let received: [ReceivedObject]
        do {
            received = try service.objects(in: body, answering: lookup.query)
        } catch {
            let type = response.head.headerFields[.contentType]
            let isPage = ContentKind(besideBody: type) == nil && ContentKind(nil, beginning: body) == .page
            throw isPage ? .transport(.foreignResponse) : .parse(error)
        }
        var responseChanges = ResponseChanges(
            cache: self, now: now, lastModified: lastModified(of: lookup, response.head, now))
        let objects = try responseChanges.addObjects(received, ofClass: lookup.className, storingIn: target)
        var value = try lookup.value(of: objects)
        var storage = ObjectReason.notStoring
        if let target {
            let validators = kind?.validators(in: response.head) ?? Validators()
            responseChanges.add(lookup.storingChanges(objects, validators, at: now), to: target)
            storage = await apply(responseChanges, filter)
            // A local write is newer than the response.
            let isOlder = storage == ObjectReason.superseded || target == .persistent && hasWaitingWrites
            if isOlder, let shown = storedValue(lookup) { value = shown.value }
        }
        return Fetched(
            value: value, origin: .network, state: .fresh(until: now), age: .zero, isIntermediate: false,
            reuse: target == nil ? ObjectReason.networkOnly : ObjectReason.serverFirst, storage: storage)
    }

    /// Returns the time of the last change in the response for one object; nil for one that is no date.
    private func lastModified<ValueLookup: ObjectLookup>(
        of lookup: ValueLookup, _ head: HTTPResponse, _ now: Int64
    ) -> Int64? {
        guard case .object = lookup.query else { return nil }
        let validators = options.validators.object.validators(in: head)
        return validators.lastModified.flatMap { HTTPDate.milliseconds(of: Array($0.utf8), now: now) }
    }

    /// Records that the server confirmed the stored value, and returns that.
    private func recordConfirmation<ValueLookup: ObjectLookup>(
        _ stored: StoredValue<ValueLookup.Value>, _ lookup: ValueLookup, _ sent: Validators, _ filter: ResponseFilter,
        _ target: ObjectPersistence?
    ) async -> Fetched<ValueLookup.Value> {
        let now = host.now()
        // A validator that the confirmation leaves out stays as it was.
        let validators = Validators(
            entityTag: sent.entityTag ?? stored.validators.entityTag,
            lastModified: sent.lastModified ?? stored.validators.lastModified)
        var responseChanges = ResponseChanges(cache: self, now: now)
        if target == .persistent, stored.persistence == .memory {
            // The request selects the store, which does not hold all of it yet.
            responseChanges.add(stored.objects.map { .put($0) }, to: .persistent)
            responseChanges.add(lookup.storingChanges(stored.objects, validators, at: now), to: .persistent)
        } else if target == stored.persistence {
            responseChanges.add(lookup.confirmingChanges(validators, at: now), to: stored.persistence)
        }
        let storage = await apply(responseChanges, filter)
        var answer = answer(stored, .revalidated, reuse: ObjectReason.confirmed)
        answer.state = .fresh(until: now)
        answer.age = .zero
        answer.storage = storage == ObjectReason.stored ? ObjectReason.alreadyStored : storage
        return answer
    }

    /// Returns a stored value as an answer.
    func answer<Value: Sendable>(
        _ stored: StoredValue<Value>, _ origin: AnswerOrigin, reuse: CacheReason, isIntermediate: Bool = false
    ) -> Fetched<Value> {
        Fetched(
            value: stored.value, origin: origin, state: .stale(since: stored.since),
            age: stored.fetchedAt.map { .milliseconds(max(0, host.now() - $0)) }, isIntermediate: isIntermediate,
            reuse: reuse, storage: ObjectReason.alreadyStored)
    }

    /// Makes the changes of a response that are still admitted; a failure is logged and does not affect the answer.
    private func apply(_ responseChanges: ResponseChanges, _ filter: ResponseFilter) async -> CacheReason {
        var result = ObjectReason.stored
        for (persistence, changes) in responseChanges.changes {
            do {
                let made = try await tieredStorage.apply(changes, to: persistence) {
                    filter.applicable($0, to: persistence)
                }
                if made != changes, result == ObjectReason.stored { result = ObjectReason.superseded }
            } catch {
                result = ObjectReason.failed
                host.logger.warning("a response could not be stored: \(error)")
            }
        }
        return result
    }
}

// MARK: - Exchanges

extension ObjectCache {
    func request(for query: ObjectQuery) throws(HTTPCacheError) -> HTTPRequest {
        do {
            return try service.request(.get, try service.path(of: query))
        } catch {
            throw .invalidRequest("the service has no request for this query")
        }
    }

    /// Sends a request.
    ///
    /// - Throws: ``HTTPCacheError/transport(_:)`` without a network, during the server's wait, without a response, and
    ///   for a success that is not the server's or only partial; ``HTTPCacheError/otherServer(_:)``.
    func send(_ request: HTTPRequest, body: [UInt8]?) async throws(HTTPCacheError) -> TransportResponse {
        guard isOnline() else { throw .transport(.noConnection(reason: "the host says so")) }
        try await checkServer(request)
        try checkServerWait(request)
        let response: TransportResponse
        do throws(TransportError) {
            response = try await transport.send(request, body: body, timeouts: options.timeouts)
        } catch {
            throw .transport(error)
        }
        await recordServerWait(response.head, to: request)
        if response.head.status.kind == .successful, !service.isOwnResponse(response.head, at: request.path ?? "") {
            throw .transport(.foreignResponse)
        }
        if response.head.status == .partialContent, request.method == .get {
            throw .transport(.other(reason: "a part was sent, and the whole was requested"))
        }
        return response
    }

    /// Records that a request begins; ``ChangeOrder/end(_:)`` must follow.
    func beginRequest(for query: ObjectQuery) -> ResponseFilter {
        let start = order.begin()
        // The waiting writes are read after that: a write that was sent before is in the response.
        let inMemory = Set(writes.all.map(\.write.path))
        do {
            let queued = try state.withLock { $0.persistent?.writes }?.waiting() ?? []
            return ResponseFilter(
                order: order, start: start, query: query, writes: writes,
                paths: inMemory.union(queued.map(\.path)), queued: Set(queued.compactMap(\.changed)))
        } catch {
            host.logger.warning("a response is not stored, because the queue of writes cannot be read: \(error)")
            return ResponseFilter(
                order: order, start: start, query: query, writes: writes, paths: inMemory, queued: nil)
        }
    }
}
