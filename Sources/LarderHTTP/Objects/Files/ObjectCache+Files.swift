internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging

extension ObjectCache {
    /// Returns the content of a file or an image, stored where the class of its object is kept.
    ///
    /// Content up to the limit for files is stored whole before it is returned, so that it can be read again and again.
    /// Longer content is not stored: its bytes are returned as they arrive.
    ///
    /// - Parameters:
    ///   - strategy: nil is that of the options.
    ///   - persistence: where to keep it; nil is where the object's class is kept.
    /// - Throws: as ``object(_:strategy:persistence:)``.
    public func file(
        _ file: ObjectFile, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        let target = try target(file.object.className, persistence)
        let file = ObjectFile(of: name(of: file.object), attribute: file.attribute)
        let strategy = strategy ?? options.strategy
        if strategy == .cacheOnly || strategy == .cacheElseNetwork, let (kept, _) = await kept(file) {
            return answer(kept, .cache, state: .stale(since: kept.response.receivedAt), ObjectReason.anyAge)
        }
        if strategy == .cacheThenNetwork, let first = await intermediate(file) {
            refresh { () async throws(HTTPCacheError) in _ = try await self.download(file, keepingIn: target) }
            return first
        }
        if strategy == .cacheOnly { throw .notCached(ObjectReason.notKept) }
        if strategy == .networkOnly { return try await download(file, keepingIn: nil) }
        do throws(HTTPCacheError) {
            return try await download(file, keepingIn: target)
        } catch {
            guard error.isWithoutServer, let (kept, _) = await kept(file) else { throw error }
            return answer(
                kept, .cache, state: .expiredServedOffline(since: kept.response.receivedAt), ObjectReason.unreachable)
        }
    }

    /// Returns the stored file, if there is one, and then the server's response.
    ///
    /// - Throws: ``HTTPCacheError/notConfigured(_:)`` for a persistence without a storage.
    public func fileAnswers(
        _ file: ObjectFile, persistence: ObjectPersistence? = nil
    ) throws(HTTPCacheError) -> ObjectAnswers<HTTPAnswer> {
        let target = try target(file.object.className, persistence)
        let file = ObjectFile(of: name(of: file.object), attribute: file.attribute)
        return ObjectAnswers(
            first: { [self] () async throws(HTTPCacheError) in await intermediate(file) },
            final: { [self] () async throws(HTTPCacheError) in try await download(file, keepingIn: target) })
    }

    private func intermediate(_ file: ObjectFile) async -> Fetched<HTTPAnswer>? {
        guard let (kept, _) = await kept(file) else { return nil }
        var answer = answer(kept, .cache, state: .stale(since: kept.response.receivedAt), ObjectReason.cacheFirst)
        answer.isIntermediate = true
        return answer
    }

    /// Returns the stored file. Memory is checked first, since a copy there is newer.
    private func kept(_ file: ObjectFile) async -> (entry: CachedResponse, cache: any ResponseCache)? {
        for files in fileCaches {
            do {
                if let entry = try await files.entries(for: file.key).first { return (entry, files) }
            } catch {
                host.logger.warning("a kept file cannot be read: \(error)")
            }
        }
        return nil
    }

    func download(
        _ file: ObjectFile, keepingIn target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        let filter = beginAnswer(to: .file(file))
        defer { order.end(filter.start) }
        let kind = options.validators.object
        let known = target == nil ? nil : await kept(file)
        var plain = try request(for: .file(file))
        kind.strip(&plain)
        var request = plain
        if let known { kind.apply(kind.validators(in: known.entry.response.head), to: &request) }
        let requestedAt = host.now()
        var response = try await send(request, body: nil)
        if response.head.status == .notModified, let known {
            if let confirmed = await confirm(file, known.entry, response.head) { return confirmed }
            // The stored file was removed or replaced during the request.
            response = try await send(plain, body: nil)
        }
        guard response.head.status.kind == .successful else { throw .server(response.head) }
        let url = "\(plain.scheme ?? "")://\(plain.authority ?? "")\(plain.path ?? "")"
        let stored = StoredResponse(
            method: .get, url: url, status: response.head.status,
            fields: KeptFields.kept(of: response.head.headerFields, without: options.credentialFields),
            requestedAt: requestedAt, receivedAt: host.now())
        return try await intake(response, file, stored, replacing: known?.entry, filter, target)
    }

    private func confirm(
        _ file: ObjectFile, _ known: CachedResponse, _ head: HTTPResponse
    ) async -> Fetched<HTTPAnswer>? {
        guard let (entry, cache) = await kept(file), entry.identity == known.identity else { return nil }
        var kept = entry
        kept.response.fields = KeptFields.updated(
            kept.response.fields, with: head.headerFields, without: options.credentialFields)
        kept.response.receivedAt = host.now()
        do {
            try await cache.refresh(kept, with: kept.response)
        } catch {
            host.logger.warning("a confirmed file could not be noted: \(error)")
        }
        return answer(
            kept, .revalidated, state: .fresh(until: kept.response.receivedAt), ObjectReason.confirmed)
    }

    func answer(
        _ kept: CachedResponse, _ origin: AnswerOrigin, state: AnswerState, _ reuse: CacheReason
    ) -> Fetched<HTTPAnswer> {
        Fetched(
            value: HTTPAnswer(
                head: kept.response.head, body: AnswerBody(.stored(kept.body, 0..<kept.body.byteCount))),
            origin: origin, state: state,
            age: .milliseconds(max(0, host.now() - kept.response.receivedAt)), isIntermediate: false, reuse: reuse,
            storage: ObjectReason.alreadyKept)
    }
}

extension StoredResponse {
    /// The status and the fields.
    fileprivate var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}
