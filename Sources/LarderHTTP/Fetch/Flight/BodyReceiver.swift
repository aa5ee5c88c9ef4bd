import HTTPTypes
import LarderFormat
import LarderStore
import LarderTransport

/// Copies the body of an answer to its reader and into the cache.
struct BodyReceiver: Sendable {
    private let exchange: CacheExchange
    private let serverResponse: CacheExchange.ServerResponse
    private var writer: (any ResponseWriter)?
    private var stored: StoredResponse?
    private var join: BodyJoin?
    /// The body as it is to be stored, where the caller checks it.
    private var checked: CheckedBody?
    /// The guard of better content that the body would replace.
    private var contentGuard: ContentGuard?
    private var received: Int64 = 0
    private var unflushed = 0
    private let beganAt: Duration
    /// The reason the body is not stored, where it is not.
    private var refusal = CacheReason.cacheFailed
    /// The time since which the body has no reader.
    private var unreadSince: Duration?

    /// The number of bytes that are appended before the writer is flushed.
    private static let flushThreshold = 256 << 10

    init(_ exchange: CacheExchange, _ serverResponse: CacheExchange.ServerResponse) {
        self.exchange = exchange
        self.serverResponse = serverResponse
        beganAt = exchange.host.services.elapsed()
    }

    /// Whether the body is being stored.
    var isStoring: Bool { writer != nil }

    /// Opens a writer; a cache failure does not affect the answer.
    mutating func open(
        _ response: StoredResponse, replacing replaced: [CachedResponse] = [], joining join: BodyJoin? = nil
    ) async {
        guard let cache = exchange.resolved.cache else { return }
        let fetchRequest = exchange.resolved.fetchRequest
        do {
            writer = try await cache.write(
                response, for: exchange.resolved.key,
                options: StorageOptions(tags: fetchRequest.tags, isPinned: fetchRequest.isPinned))
            stored = response
            self.join = join
            if response.coverage == .whole, join == nil {
                contentGuard = exchange.contentGuard(serverResponse, replacing: replaced)
            }
            // A part, or a body of several ranges, cannot be decoded by itself.
            if response.coverage == .whole, !exchange.isRangeRequestedByHost,
                serverResponse.head.status.kind == .successful
            {
                checked = exchange.resolved.check.map(CheckedBody.init)
            }
            if let join { try join.writePrefix { try append($0) } }
        } catch {
            await stopStoring("could not begin to store a response", error)
        }
    }

    /// Reads the body to its end and reports the result to the flight.
    mutating func consume(_ body: TransportBody, _ because: CacheReason) async {
        do throws(TransportError) {
            let iterator = body.makeAsyncIterator()
            while let chunk = try await iterator.next() {
                received += Int64(chunk.count)
                exchange.slot.recordProgress()
                enforceTimeLimit()
                await store(chunk)
                if !exchange.flight.pipe.push(chunk) { await waitForReader() }
                if Task.isCancelled { throw .cancelled }
            }
            if let length = serverResponse.announcedLength, length != received {
                throw .connectionLost(reason: "the length of the body is not the one its head announced")
            }
        } catch {
            await storePart(after: error)
            exchange.flight.complete(.failed(.transport(error)))
            exchange.flight.pipe.finish(error)
            return
        }
        exchange.flight.markComplete()
        // Stored first: a reader of the whole body must find it in the cache.
        let entry = await finish(coverage: nil)
        if let entry, entry.isStored {
            exchange.flight.complete(.stored(Flight.Stored(entry: entry, origin: .network, storage: because)))
        } else {
            if let entry {
                // The first caller can read it; others find nothing.
                let unstored = Flight.Stored(entry: entry, origin: .network, storage: .cacheFailed)
                exchange.flight.delivery.fulfil(.success(.stored(unstored)))
            }
            exchange.flight.complete(.notStored(refusal))
        }
        exchange.flight.pipe.finish()
    }

    /// Limits how long a body of unknown length, which may be endless, delays others.
    ///
    /// The limit is the idle timeout. It applies to a body with a reader and a slot, and to one that is only read to be
    /// stored. It is checked with each chunk; between two chunks the transport's own limit applies.
    private mutating func enforceTimeLimit() {
        guard serverResponse.announcedLength == nil else { return }
        let now = exchange.host.services.elapsed()
        let limit = (exchange.resolved.fetchRequest.timeouts ?? exchange.host.options.timeouts).idle
        if now - beganAt > limit { exchange.slot.release() }
        guard exchange.flight.isUnread else {
            unreadSince = nil
            return
        }
        let since = unreadSince ?? now
        unreadSince = since
        if now - since > limit { exchange.flight.finishUnread(false) }
    }

    /// Waits until the pipe has space, and releases the slot meanwhile.
    private func waitForReader() async {
        let wasHeld = exchange.slot.release()
        await exchange.flight.pipe.waitForSpace()
        // Resumed before those that have not begun. If no slot is acquired, the task is cancelled.
        if wasHeld { _ = await exchange.slot.acquire(.resumed) }
    }

    private mutating func append(_ bytes: RawSpan) throws {
        checked?.append(bytes)
        try writer?.append(bytes)
    }

    private mutating func store(_ chunk: [UInt8]) async {
        guard let writer else { return }
        if received > exchange.host.options.finishLimit { exchange.flight.finishUnread(false) }
        guard received + (join?.oldBytes ?? 0) <= exchange.bodyLimit else {
            exchange.host.logTooLarge(exchange.bodyLimit)
            await stopStoring(.tooLarge)
            return exchange.flight.reportNotStored(refusal)
        }
        guard contentGuard?.allows(chunk) ?? true else {
            await stopStoring(.pageDoesNotReplace)
            return exchange.flight.reportNotStored(refusal)
        }
        do {
            try append(chunk.rawSpan)
            unflushed += chunk.count
            if unflushed >= Self.flushThreshold {
                unflushed = 0
                try await writer.flush()
            }
        } catch {
            await stopStoring("could not store a response", error)
            exchange.flight.reportNotStored(refusal)
        }
    }

    /// The number of new bytes by the range of the answer; nil without a range.
    private var expected: Int64? {
        if let join { return join.newBytes }
        // Also for a part that is the whole and is stored as such.
        guard serverResponse.head.status == .partialContent else { return nil }
        return ContentRange(serverResponse.head.headerFields).map { Int64($0.range.count) }
    }

    private mutating func finish(coverage: StoredResponse.Coverage?) async -> CachedResponse? {
        guard let writer else { return nil }
        // Without an announced length, the body may have another length than its range.
        let isWhole = expected.map { $0 == received } ?? true
        let isWanted = isWhole && contentGuard?.allowsBody ?? true
        guard !exchange.flight.isStorageForbidden, isWanted || coverage != nil else {
            await stopStoring(
                exchange.flight.isStorageForbidden
                    ? .changedMeanwhile
                    : !isWhole ? .lengthMismatch : received == 0 ? .emptyDoesNotReplace : .pageDoesNotReplace
            )
            return nil
        }
        do {
            if let join { try join.writeSuffix { try append($0) } }
            if coverage == nil, let checked, !checked.isAccepted {
                await stopStoring(.undecodable)
                return nil
            }
            let entry = try await writer.finish(coverage: coverage)
            self.writer = nil
            guard exchange.flight.isStorageForbidden else { return entry }
            // The responses were cleared or changed during the write: this one must not come back.
            try await exchange.resolved.cache?.discard(entry)
            refusal = .changedMeanwhile
            return nil
        } catch {
            await stopStoring("could not store a response", error)
            return nil
        }
    }

    /// Stores an incomplete body as a part, when a strong validator lets it be completed later. RFC 9111 §3.3.
    ///
    /// It is not stored when the host cancelled it, the transport decoded it, or it would replace a whole body.
    private mutating func storePart(after error: TransportError) async {
        guard let stored, join == nil, !serverResponse.isDecoded, error != .cancelled,
            stored.status == .ok || stored.status == .partialContent,
            received > 0, let start = stored.partStart, stored.hasStrongValidator,
            await exchange.replaced(by: stored).allSatisfy({ $0.response.coverage != .whole })
        else { return await stopStoring(.cacheFailed) }
        let total = stored.status == .ok ? serverResponse.announcedLength : stored.partTotal
        if let total, start + received > total { return await stopStoring(.lengthMismatch) }
        _ = await finish(coverage: .part(start..<(start + received), total: total))
    }

    private mutating func stopStoring(_ because: CacheReason) async {
        await writer?.cancel()
        writer = nil
        stored = nil
        checked = nil
        refusal = because
    }

    private mutating func stopStoring(_ what: String, _ error: any Error) async {
        // A cache that closes ends its exchanges.
        if !(error is CancellationError) { exchange.host.log(what, error) }
        await stopStoring(.cacheFailed)
    }
}

extension StoredResponse {
    /// The offset in the representation at which the stored body begins.
    fileprivate var partStart: Int64? {
        switch coverage {
        case .whole: 0
        case .part(let range, _): range.lowerBound
        }
    }

    fileprivate var partTotal: Int64? {
        if case .part(_, let total) = coverage { total } else { nil }
    }

    /// Whether it has an entity tag that is not weak. RFC 9110 §8.8.1.
    fileprivate var hasStrongValidator: Bool {
        fields[.eTag].map { $0.utf8.first == UInt8(ascii: "\"") } ?? false
    }
}
