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
    ///   - file: the file or image.
    ///   - strategy: nil is that of the options.
    ///   - persistence: where to keep it; nil is where the object's class is kept.
    /// - Throws: as ``object(_:strategy:persistence:)``.
    public func file(
        _ file: ObjectFile, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        let target = try target(file.object.className, persistence)
        let file = ObjectFile(of: name(of: file.object), attribute: file.attribute)
        let strategy = strategy ?? options.strategy
        if strategy == .cacheOnly || strategy == .cacheElseNetwork, let (stored, _) = await storedFile(file) {
            return answer(stored, .cache, state: .stale(since: stored.response.receivedAt), ObjectReason.anyAge)
        }
        if strategy == .cacheThenNetwork, let first = await intermediate(file) {
            refresh { () async throws(HTTPCacheError) in _ = try await self.download(file, storingIn: target) }
            return first
        }
        if strategy == .cacheOnly { throw .notCached(ObjectReason.notStored) }
        if strategy == .networkOnly { return try await download(file, storingIn: nil) }
        do throws(HTTPCacheError) {
            return try await download(file, storingIn: target)
        } catch {
            guard error.isServerUnavailable, let (stored, _) = await storedFile(file) else { throw error }
            return answer(
                stored, .cache, state: .expiredServedOffline(since: stored.response.receivedAt),
                ObjectReason.unreachable)
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
            final: { [self] () async throws(HTTPCacheError) in try await download(file, storingIn: target) })
    }

    private func intermediate(_ file: ObjectFile) async -> Fetched<HTTPAnswer>? {
        guard let (stored, _) = await storedFile(file) else { return nil }
        var answer = answer(stored, .cache, state: .stale(since: stored.response.receivedAt), ObjectReason.cacheFirst)
        answer.isIntermediate = true
        return answer
    }

    /// Returns the stored file. Memory is checked first, since a copy there is newer.
    private func storedFile(_ file: ObjectFile) async -> (entry: CachedResponse, cache: any ResponseCache)? {
        for files in fileCaches {
            do {
                if let entry = try await files.entries(for: file.key).first { return (entry, files) }
            } catch {
                host.logger.warning("a stored file cannot be read: \(error)")
            }
        }
        return nil
    }

    func download(
        _ file: ObjectFile, storingIn target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        let filter = beginRequest(for: .file(file))
        defer { order.end(filter.start) }
        let kind = options.validators.object
        let known = target == nil ? nil : await storedFile(file)
        var plain = try request(for: .file(file))
        kind.strip(&plain)
        var request = plain
        if let known { kind.apply(kind.validators(in: known.entry.response.head), to: &request) }
        let requestedAt = host.now()
        var response = try await send(request, body: nil)
        if response.head.status == .notModified, let known {
            if let confirmed = await recordConfirmation(file, known.entry, response.head) { return confirmed }
            // The stored file was removed or replaced during the request.
            response = try await send(plain, body: nil)
        }
        guard response.head.status.kind == .successful else { throw .server(response.head) }
        let url = "\(plain.scheme ?? "")://\(plain.authority ?? "")\(plain.path ?? "")"
        let stored = StoredResponse(
            method: .get, url: url, status: response.head.status,
            fields: StoredFields.selected(from: response.head.headerFields, without: options.credentialFields),
            requestedAt: requestedAt, receivedAt: host.now())
        return try await storeBody(response, file, stored, replacing: known?.entry, filter, target)
    }

    private func recordConfirmation(
        _ file: ObjectFile, _ known: CachedResponse, _ head: HTTPResponse
    ) async -> Fetched<HTTPAnswer>? {
        guard let (entry, cache) = await storedFile(file), entry.identity == known.identity else { return nil }
        var stored = entry
        stored.response.fields = StoredFields.updated(
            stored.response.fields, with: head.headerFields, without: options.credentialFields)
        stored.response.receivedAt = host.now()
        do {
            try await cache.refresh(stored, with: stored.response)
        } catch {
            host.logger.warning("a confirmed file could not be noted: \(error)")
        }
        return answer(
            stored, .revalidated, state: .fresh(until: stored.response.receivedAt), ObjectReason.confirmed)
    }

    func answer(
        _ stored: CachedResponse, _ origin: AnswerOrigin, state: AnswerState, _ reuse: CacheReason
    ) -> Fetched<HTTPAnswer> {
        Fetched(
            value: HTTPAnswer(
                head: stored.response.head, body: AnswerBody(.stored(stored.body, 0..<stored.body.byteCount))),
            origin: origin, state: state,
            age: .milliseconds(max(0, host.now() - stored.response.receivedAt)), isIntermediate: false, reuse: reuse,
            storage: ObjectReason.alreadyStored)
    }
}

extension StoredResponse {
    /// The status and the fields.
    fileprivate var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}
