internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The storing of a file's bytes as they arrive.
extension ObjectCache {
    /// Stores the body of a response in `target`, up to the limit, and returns the response.
    func storeBody(
        _ response: TransportResponse, _ file: ObjectFile, _ stored: StoredResponse,
        replacing known: CachedResponse?, _ filter: ResponseFilter, _ target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        guard let target, let cache = files(target) else {
            return streamed(response, response.body, ObjectReason.notStoring)
        }
        guard response.head.status != .partialContent else {
            // No range was requested.
            throw .transport(.other(reason: "a part of a file came in place of the whole"))
        }
        let announced = response.head.announcedLength(to: .get)
        if let announced, announced > options.fileLimit {
            logTooLarge()
            return streamed(response, response.body, ObjectReason.tooLarge)
        }
        let contentGuard = ContentGuard(replacing: known.map { [$0] } ?? [], by: response.head.headerFields)
        let options = StorageOptions(tags: [ObjectFile.tag(ofClass: file.object.className)])
        guard let writer = try? await cache.write(stored, for: file.key, options: options) else {
            return streamed(response, response.body, ObjectReason.failed)
        }
        let path = try request(for: .file(file)).path ?? ""
        let filling = await fill(
            writer, from: response.body, announced: announced, contentGuard, if: { filter.allows(file, at: path) })
        switch filling {
        case .whole(let entry):
            if target == .persistent, entry.isStored { _ = try? await memory.files.remove(.key(file.key)) }
            var answer = answer(
                entry, .network, state: .fresh(until: entry.response.receivedAt), ObjectReason.serverFirst)
            answer.storage = entry.isStored ? ObjectReason.stored : ObjectReason.tooLarge
            if !filter.allows(file, at: path) {
                // Removed or replaced here since the last check; the cache may already hold a newer copy.
                await drop(entry, from: cache)
                answer.storage = ObjectReason.superseded
            }
            return answer
        case .tooLong(let chunks):
            logTooLarge()
            return streamed(response, response.body.following(chunks), ObjectReason.tooLarge)
        case .broken(let error): throw .transport(error)
        case .empty: return streamed(response, TransportBody([]), ObjectReason.empty)
        case .superseded: return try await download(file, storingIn: nil)
        case .notStored(let error):
            host.logger.warning("a file could not be stored: \(error)")
            // The bytes that arrived are lost: the file is requested once more, and not stored.
            return try await download(file, storingIn: nil)
        }
    }

    private enum FillResult {
        case whole(CachedResponse)
        /// The body is longer than the limit; the chunks that have arrived.
        case tooLong([[UInt8]])
        case broken(TransportError)
        /// The body is empty, and the stored one is not.
        case empty
        /// The file was written or removed here while it arrived.
        case superseded
        case notStored(any Error)
    }

    /// Writes a body as it arrives.
    ///
    /// - Parameters:
    ///   - announced: the length of the body, within the limit. Nil when it is not known beforehand: the chunks are
    ///     then held until it is clear that all of them can be stored.
    ///   - isStorable: returns whether the file may still be stored; called when all of it has arrived.
    private func fill(
        _ writer: any ResponseWriter, from body: TransportBody, announced: Int64?, _ contentGuard: ContentGuard,
        if isStorable: () -> Bool
    ) async -> FillResult {
        var (buffered, contentGuard): ([[UInt8]], ContentGuard) = ([], contentGuard)
        var count: Int64 = 0
        let chunks = body.makeAsyncIterator()
        do {
            while let chunk = try await chunks.next() {
                count += Int64(chunk.count)
                guard contentGuard.allows(chunk) else { throw TransportError.foreignResponse }
                if announced == nil {
                    buffered.append(chunk)
                    if count > options.fileLimit {
                        await writer.cancel()
                        return .tooLong(buffered)
                    }
                }
                try writer.append(chunk.rawSpan)
                try await writer.flush()
                if let announced, count > announced { break }
            }
            if let announced, count != announced {
                throw TransportError.connectionLost(reason: "the length of the body is not the one its head announced")
            }
            guard contentGuard.allowsBody else {
                if count > 0 { throw TransportError.foreignResponse }
                await writer.cancel()
                return .empty
            }
            guard isStorable() else {
                await writer.cancel()
                return .superseded
            }
            return .whole(try await writer.finish(coverage: nil))
        } catch let error as TransportError {
            await writer.cancel()
            return .broken(error)
        } catch {
            await writer.cancel()
            return .notStored(error)
        }
    }

    private func files(_ persistence: ObjectPersistence) -> (any ResponseCache)? {
        switch persistence {
        case .memory: memory.files
        case .persistent: state.withLock { $0.persistent?.files }
        }
    }

    private func drop(_ entry: CachedResponse, from cache: any ResponseCache) async {
        do {
            try await cache.discard(entry)
        } catch {
            host.logger.warning("an old file could not be removed: \(error)")
        }
    }

    private func logTooLarge() {
        host.logger.error("a file longer than \(options.fileLimit) bytes was delivered, and not stored")
    }

    /// Returns a response whose body is delivered as it arrives.
    private func streamed(
        _ response: TransportResponse, _ body: TransportBody, _ storage: CacheReason
    ) -> Fetched<HTTPAnswer> {
        Fetched(
            value: HTTPAnswer(head: response.head, body: AnswerBody(.network(body))), origin: .network,
            state: .fresh(until: host.now()), age: .zero, isIntermediate: false, reuse: ObjectReason.serverFirst,
            storage: storage)
    }
}

extension TransportBody {
    /// Returns a body of these chunks and then what is left of this body.
    fileprivate func following(_ chunks: [[UInt8]]) -> TransportBody {
        let buffered = TransportBody(chunks: chunks).makeAsyncIterator()
        let rest = makeAsyncIterator()
        return TransportBody(next: { () async throws(TransportError) in
            if let chunk = try await buffered.next() { return chunk }
            return try await rest.next()
        })
    }
}
