internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// One lookup, by one strategy.
extension ObjectCache {
    func answer<Asked: ObjectInquiring>(
        _ inquiry: Asked, _ strategy: ObjectStrategy, _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> Fetched<Asked.Value> {
        try await giveUpWritesOfOthers()
        switch strategy {
        case .networkOnly: return try await ask(inquiry, keepingIn: nil)
        case .cacheOnly:
            guard let kept = kept(inquiry) else { throw .notCached(ObjectReason.notKept) }
            return answer(kept, .cache, reuse: kept.isComplete ? ObjectReason.anyAge : ObjectReason.incomplete)
        case .cacheElseNetwork:
            if let kept = kept(inquiry), kept.isComplete {
                return answer(kept, .cache, reuse: ObjectReason.anyAge)
            }
            return try await askElseKept(inquiry, target)
        case .cacheThenNetwork:
            guard let kept = kept(inquiry) else { return try await ask(inquiry, keepingIn: target) }
            refresh { () async throws(HTTPCacheError) in _ = try await self.ask(inquiry, keepingIn: target) }
            return answer(kept, .cache, reuse: ObjectReason.cacheFirst, isIntermediate: true)
        case .networkElseCache: return try await askElseKept(inquiry, target)
        }
    }

    /// Sends a request in the background; a failure is logged.
    func refresh(_ ask: @escaping @Sendable () async throws(HTTPCacheError) -> Void) {
        Task { [host] in
            do throws(HTTPCacheError) {
                try await ask()
            } catch {
                host.logger.info("what is kept could not be refreshed: \(error)")
            }
        }
    }

    private func askElseKept<Asked: ObjectInquiring>(
        _ inquiry: Asked, _ target: ObjectPersistence
    ) async throws(HTTPCacheError) -> Fetched<Asked.Value> {
        do throws(HTTPCacheError) {
            return try await ask(inquiry, keepingIn: target)
        } catch {
            guard error.isWithoutServer, let kept = kept(inquiry) else { throw error }
            var answer = answer(kept, .cache, reuse: ObjectReason.unreachable)
            answer.state = .expiredServedOffline(since: kept.since)
            return answer
        }
    }

    /// Returns the server's response, stored in `target` unless that is nil; after a 304 the stored value.
    func ask<Asked: ObjectInquiring>(
        _ inquiry: Asked, keepingIn target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<Asked.Value> {
        let filter = beginAnswer(to: inquiry.question)
        defer { order.end(filter.start) }
        let kind = options.validators.kind(of: inquiry.question)
        let known = target == nil ? nil : kept(inquiry)
        if let kind, let known, known.isComplete, !known.validators.isEmpty {
            var request = try request(for: inquiry.question)
            kind.strip(&request)
            kind.apply(known.validators, to: &request)
            let response = try await send(request, body: nil)
            if response.head.status != .notModified {
                return try await take(response, inquiry, kind, filter, target)
            }
            // The stored value may have been removed or replaced during the request.
            if let kept = kept(inquiry), kept.isComplete, kept.validators == known.validators {
                return await confirm(kept, inquiry, kind.validators(in: response.head), filter, target)
            }
        }
        var request = try request(for: inquiry.question)
        kind?.strip(&request)
        return try await take(try await send(request, body: nil), inquiry, kind, filter, target)
    }

    /// Stores a response, and returns its value.
    private func take<Asked: ObjectInquiring>(
        _ response: TransportResponse, _ inquiry: Asked, _ kind: ValidatorFields.Kind?, _ filter: AnswerFilter,
        _ target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<Asked.Value> {
        guard response.head.status.kind == .successful else { throw .server(response.head) }
        let body: [UInt8]
        do throws(TransportError) {
            body = try await response.body.collect(upTo: options.answerLimit)
        } catch {
            throw .transport(error)
        }
        let now = host.now()
        let received: [ReceivedObject]
        do {
            received = try service.objects(in: body, answering: inquiry.question)
        } catch {
            let type = response.head.headerFields[.contentType]
            let isPage = ContentKind(besideBody: type) == nil && ContentKind(nil, beginning: body) == .page
            throw isPage ? .transport(.notTheServers) : .parse(error)
        }
        var intake = ObjectIntake(cache: self, now: now, lastModified: lastModified(of: inquiry, response.head, now))
        let objects = try intake.take(received, ofClass: inquiry.className, keepingIn: target)
        var value = try inquiry.value(of: objects)
        var storage = ObjectReason.notKeeping
        if let target {
            let validators = kind?.validators(in: response.head) ?? Validators()
            intake.add(inquiry.record(objects, validators, at: now), to: target)
            storage = await keep(intake, filter)
            // A local write is newer than the response.
            let isOlder = storage == ObjectReason.overtaken || target == .persistent && hasWaitingWrites
            if isOlder, let shown = kept(inquiry) { value = shown.value }
        }
        return Fetched(
            value: value, origin: .network, state: .fresh(until: now), age: .zero, isIntermediate: false,
            reuse: target == nil ? ObjectReason.networkOnly : ObjectReason.asked, storage: storage)
    }

    /// Returns the time of the last change in the response for one object; nil for one that is no date.
    private func lastModified<Asked: ObjectInquiring>(
        of inquiry: Asked, _ head: HTTPResponse, _ now: Int64
    ) -> Int64? {
        guard case .object = inquiry.question else { return nil }
        let validators = options.validators.object.validators(in: head)
        return validators.lastModified.flatMap { HTTPDate.milliseconds(of: Array($0.utf8), now: now) }
    }

    /// Records that the server confirmed the stored value, and returns that.
    private func confirm<Asked: ObjectInquiring>(
        _ kept: KeptAnswer<Asked.Value>, _ inquiry: Asked, _ sent: Validators, _ filter: AnswerFilter,
        _ target: ObjectPersistence?
    ) async -> Fetched<Asked.Value> {
        let now = host.now()
        // A validator that the confirmation leaves out stays as it was.
        let validators = Validators(
            entityTag: sent.entityTag ?? kept.validators.entityTag,
            lastModified: sent.lastModified ?? kept.validators.lastModified)
        var intake = ObjectIntake(cache: self, now: now)
        if target == .persistent, kept.place == .memory {
            // The request selects the store, which does not hold all of it yet.
            intake.add(kept.objects.map { .put($0) }, to: .persistent)
            intake.add(inquiry.record(kept.objects, validators, at: now), to: .persistent)
        } else if target == kept.place {
            intake.add(inquiry.confirm(validators, at: now), to: kept.place)
        }
        let storage = await keep(intake, filter)
        var answer = answer(kept, .revalidated, reuse: ObjectReason.confirmed)
        answer.state = .fresh(until: now)
        answer.age = .zero
        answer.storage = storage == ObjectReason.kept ? ObjectReason.alreadyKept : storage
        return answer
    }

    /// Returns a stored value as an answer.
    func answer<Value: Sendable>(
        _ kept: KeptAnswer<Value>, _ origin: AnswerOrigin, reuse: CacheReason, isIntermediate: Bool = false
    ) -> Fetched<Value> {
        Fetched(
            value: kept.value, origin: origin, state: .stale(since: kept.since),
            age: kept.fetchedAt.map { .milliseconds(max(0, host.now() - $0)) }, isIntermediate: isIntermediate,
            reuse: reuse, storage: ObjectReason.alreadyKept)
    }

    /// Makes the changes of a response that are still admitted; a failure is logged and does not affect the answer.
    private func keep(_ intake: ObjectIntake, _ filter: AnswerFilter) async -> CacheReason {
        var result = ObjectReason.kept
        for (persistence, changes) in intake.changes {
            do {
                let made = try await shelves.apply(changes, to: persistence) { filter.admitted($0, to: persistence) }
                if made != changes, result == ObjectReason.kept { result = ObjectReason.overtaken }
            } catch {
                result = ObjectReason.failed
                host.logger.warning("an answer could not be kept: \(error)")
            }
        }
        return result
    }
}

// MARK: - Exchanges

extension ObjectCache {
    func request(for question: ObjectQuestion) throws(HTTPCacheError) -> HTTPRequest {
        do {
            return try service.request(.get, try service.path(of: question))
        } catch {
            throw .invalidRequest("the service has no request for this question")
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
        await noteServerWait(response.head, to: request)
        if response.head.status.kind == .successful, !service.accepts(response.head, at: request.path ?? "") {
            throw .transport(.notTheServers)
        }
        if response.head.status == .partialContent, request.method == .get {
            throw .transport(.other(reason: "a part was sent, and the whole was asked for"))
        }
        return response
    }

    /// Records that a request begins; ``ChangeOrder/end(_:)`` must follow.
    func beginAnswer(to question: ObjectQuestion) -> AnswerFilter {
        let start = order.begin()
        // The waiting writes are read after that: a write that was sent before is in the response.
        let inMemory = Set(writes.all.map(\.write.path))
        do {
            let queued = try state.withLock { $0.persistent?.writes }?.waiting() ?? []
            return AnswerFilter(
                order: order, start: start, question: question, writes: writes,
                paths: inMemory.union(queued.map(\.path)), queued: Set(queued.compactMap(\.changed)))
        } catch {
            host.logger.warning("an answer is not kept, since the queue of writes cannot be read: \(error)")
            return AnswerFilter(
                order: order, start: start, question: question, writes: writes, paths: inMemory, queued: nil)
        }
    }
}
