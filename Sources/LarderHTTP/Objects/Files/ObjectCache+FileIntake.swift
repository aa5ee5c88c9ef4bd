internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The storing of a file's bytes as they arrive.
extension ObjectCache {
    /// Stores the body of a response in `target`, up to the limit, and returns the response.
    func intake(
        _ response: TransportResponse, _ file: ObjectFile, _ stored: StoredResponse,
        replacing known: CachedResponse?, _ filter: AnswerFilter, _ target: ObjectPersistence?
    ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
        guard let target, let cache = files(target) else {
            return passed(response, response.body, ObjectReason.notKeeping)
        }
        guard response.head.status != .partialContent else {
            // No range was requested.
            throw .transport(.other(reason: "a part of a file came in place of the whole"))
        }
        let announced = response.head.announcedLength(to: .get)
        if let announced, announced > options.fileLimit {
            logTooLarge()
            return passed(response, response.body, ObjectReason.tooLarge)
        }
        let guarding = ContentGuard(replacing: known.map { [$0] } ?? [], by: response.head.headerFields)
        let options = KeepOptions(tags: [ObjectFile.tag(ofClass: file.object.className)])
        guard let writer = try? await cache.write(stored, for: file.key, options: options) else {
            return passed(response, response.body, ObjectReason.failed)
        }
        let path = try request(for: .file(file)).path ?? ""
        let filling = await fill(
            writer, from: response.body, announced: announced, guarding, if: { filter.admits(file, at: path) })
        switch filling {
        case .whole(let entry):
            if target == .persistent, entry.isKept { _ = try? await memory.files.remove(.key(file.key)) }
            var answer = answer(
                entry, .network, state: .fresh(until: entry.response.receivedAt), ObjectReason.asked)
            answer.storage = entry.isKept ? ObjectReason.kept : ObjectReason.tooLarge
            if !filter.admits(file, at: path) {
                // Removed or replaced here since the last check; the cache may already hold a newer copy.
                await drop(entry, from: cache)
                answer.storage = ObjectReason.overtaken
            }
            return answer
        case .tooLong(let chunks):
            logTooLarge()
            return passed(response, response.body.following(chunks), ObjectReason.tooLarge)
        case .broken(let error): throw .transport(error)
        case .empty: return passed(response, TransportBody([]), ObjectReason.empty)
        case .overtaken: return try await download(file, keepingIn: nil)
        case .notKept(let error):
            host.logger.warning("a file could not be kept: \(error)")
            // The bytes that arrived are lost: the file is requested once more, and not stored.
            return try await download(file, keepingIn: nil)
        }
    }

    private enum Filling {
        case whole(CachedResponse)
        /// The body is longer than the limit; the chunks that have arrived.
        case tooLong([[UInt8]])
        case broken(TransportError)
        /// The body is empty, and the stored one is not.
        case empty
        /// The file was written or removed here while it arrived.
        case overtaken
        case notKept(any Error)
    }

    /// Writes a body as it arrives.
    ///
    /// - Parameters:
    ///   - announced: the length of the body, within the limit. Nil when it is not known beforehand: the chunks are
    ///     then held until it is clear that all of them can be stored.
    ///   - isDue: returns whether the file may still be stored; called when all of it has arrived.
    private func fill(
        _ writer: any ResponseWriter, from body: TransportBody, announced: Int64?, _ guarding: ContentGuard,
        if isDue: () -> Bool
    ) async -> Filling {
        var (held, guarding): ([[UInt8]], ContentGuard) = ([], guarding)
        var count: Int64 = 0
        let chunks = body.makeAsyncIterator()
        do {
            while let chunk = try await chunks.next() {
                count += Int64(chunk.count)
                guard guarding.admits(chunk) else { throw TransportError.notTheServers }
                if announced == nil {
                    held.append(chunk)
                    if count > options.fileLimit {
                        await writer.cancel()
                        return .tooLong(held)
                    }
                }
                try writer.append(chunk.rawSpan)
                try await writer.flush()
                if let announced, count > announced { break }
            }
            if let announced, count != announced {
                throw TransportError.connectionLost(reason: "the length of the body is not the one its head announced")
            }
            guard guarding.admitsAll else {
                if count > 0 { throw TransportError.notTheServers }
                await writer.cancel()
                return .empty
            }
            guard isDue() else {
                await writer.cancel()
                return .overtaken
            }
            return .whole(try await writer.finish(coverage: nil))
        } catch let error as TransportError {
            await writer.cancel()
            return .broken(error)
        } catch {
            await writer.cancel()
            return .notKept(error)
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
        host.logger.error("a file longer than \(options.fileLimit) bytes was delivered, and not kept")
    }

    /// Returns a response whose body is delivered as it arrives.
    private func passed(
        _ response: TransportResponse, _ body: TransportBody, _ storage: CacheReason
    ) -> Fetched<HTTPAnswer> {
        Fetched(
            value: HTTPAnswer(head: response.head, body: AnswerBody(.network(body))), origin: .network,
            state: .fresh(until: host.now()), age: .zero, isIntermediate: false, reuse: ObjectReason.asked,
            storage: storage)
    }
}

extension TransportBody {
    /// Returns a body of these chunks and then what is left of this body.
    fileprivate func following(_ chunks: [[UInt8]]) -> TransportBody {
        let held = HeldChunks(chunks)
        let rest = makeAsyncIterator()
        return TransportBody(next: { () async throws(TransportError) in
            if let chunk = held.removeFirst() { return chunk }
            return try await rest.next()
        })
    }
}

/// Chunks that have arrived, removed from the front.
private final class HeldChunks: Sendable {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    init(_ chunks: [[UInt8]]) {
        self.chunks = Mutex(chunks[...])
    }

    func removeFirst() -> [UInt8]? {
        chunks.withLock { $0.popFirst() }
    }
}
