package import HTTPTypes
internal import LarderFormat
internal import LarderJSON
internal import LarderStore
package import LarderTransport
internal import Logging
internal import Synchronization

// One request, from the table to its response. Nothing here decides what the response means.
extension Outbox {
    /// Sends a request and reads its response; reports how long it took.
    func send(_ request: DeliveryTry) async -> (TryResult, [UUIDBytes: AcceptedResponse]) {
        await store.host.measuring(
            span: "larder.send", timer: "larder_send_seconds", labels: { [("outcome", Self.outcome($0))] }
        ) { () async throws(Never) -> (TryResult, [UUIDBytes: AcceptedResponse]) in await sendUnmeasured(request) }
    }

    private static func outcome(_ sent: Result<(TryResult, [UUIDBytes: AcceptedResponse]), Never>) -> String {
        guard case .success((.whole(let result), _)) = sent else { return "batch" }
        return switch result {
        case .head(let head), .unreadable(let head): "\(head.status / 100)xx"
        case .none: "unanswered"
        case .notSent: "unreachable"
        case .deferred: "deferred"
        case .unsendable: "unsendable"
        }
    }

    private func sendUnmeasured(_ request: DeliveryTry) async -> (TryResult, [UUIDBytes: AcceptedResponse]) {
        let entries: [OutboxEntry]
        do {
            if let rest = try remainingServerWait() { return (.whole(.deferred(rest)), [:]) }
            entries = try store.read { view in
                try view.checkServer(configuration.server, of: .outbox)
                return try request.entries.compactMap { try view.outboxEntry($0) }
            }
        } catch {
            store.host.logger.error("an entry could not be read", metadata: ["error": "\(error)"])
            return (.whole(Self.unreadableReason(error).map { .unsendable($0) } ?? .notSent), [:])
        }
        guard let entry = entries.first, entries.count == request.entries.count else {
            // An entry that has left needs no response; one of which only the delivery is left is damaged.
            return (.whole(.unsendable("the entry to send is missing")), [:])
        }
        if request.isBatch { return await sendBatch(entries, key: request.key) }
        let reply = await exchange(entry.draft, key: request.key)
        return (.whole(reply.result), [entry.id: reply.accepted])
    }

    /// Sends entries together. Success that says nothing about any of them is not success.
    private func sendBatch(
        _ entries: [OutboxEntry], key: UUIDBytes
    ) async -> (TryResult, [UUIDBytes: AcceptedResponse]) {
        guard let batch = policy.batch else {
            return (.whole(.unsendable("it belongs to a batch of an earlier run, and batches are no longer sent")), [:])
        }
        var draft = OutboxDraft(
            id: key, lane: "", createdAt: 0, mutationType: "batch", method: "POST", endpoint: batch.endpoint,
            payload: BatchBody.encode(entries))
        draft.account = entries[0].draft.account
        draft.fields = [.init(name: "Content-Type", value: Array("application/json".utf8))]
        let reply = await exchange(draft, key: key)
        guard reply.head?.status.kind == .successful, case .head(let head) = reply.result, !head.isForeign else {
            return (.whole(reply.result), [:])
        }
        guard let found = reply.body.flatMap({ BatchBody.outcomes($0, of: entries.map(\.id)) }) else {
            return (.whole(.unreadable(head)), [:])
        }
        return (.members(found.heads), found.accepted)
    }

    /// Returns the rest of the server's wait: as recorded by this outbox, even if not stored yet, by buffers or sync,
    /// or by another process.
    ///
    /// - Throws: ``StoreError``, `EngineError`; nothing is sent while it cannot be read.
    func remainingServerWait() throws -> Duration? {
        let now = store.host.now()
        let server = configuration.base.origin
        let stored = try store.read { view in try view.serverWait(of: server, at: now) }.map {
            Duration.milliseconds($0.remaining(at: now))
        }
        let known = state.withLock { $0.loop?.machine.serverWait }.map { $0 - store.host.elapsed() }
        return [stored, known].compactMap { $0 }.filter { $0 > .zero }.max()
    }

    /// The result of an exchange, and the content of its response.
    struct Reply {
        var result: SendResult
        var accepted = AcceptedResponse()
        var head: HTTPResponse?
        var body: [UInt8]?
        var error: TransportError?

        /// Whether the server, and nothing in its place, refused the credentials.
        var isUnauthorized: Bool {
            if case .head(let answer) = result { answer.status == 401 && !answer.isForeign } else { false }
        }
    }

    /// Sends a request that no machine schedules: not during the server's wait, and recording the one it responds with.
    func exchangeUnscheduled(_ draft: OutboxDraft, key: UUIDBytes) async -> Reply {
        do {
            if let rest = try remainingServerWait() { return Reply(result: .deferred(rest)) }
        } catch {
            store.host.logger.error("the server's wait could not be read", metadata: ["error": "\(error)"])
            return Reply(result: .notSent)
        }
        let reply = await exchange(draft, key: key)
        if case .head(let head) = reply.result, head.isThrottling {
            let wait = head.retryAfter.map { min(max($0, .zero), policy.longestRetryAfter).milliseconds }
            let (server, now) = (configuration.base.origin, store.host.now())
            do {
                try await store.write { try $0.setServerWait(of: server, milliseconds: wait, at: now) }
            } catch {
                store.host.logger.warning("the server's wait was not stored", metadata: ["error": "\(error)"])
            }
        }
        return reply
    }

    /// Sends a GET to an endpoint under the account of a write. A 401 pauses the account, as one to a write does,
    /// unless an account has signed in since the request was made.
    func fetch(_ endpoint: String, of draft: OutboxDraft) async -> Reply {
        var fetchDraft = draft
        fetchDraft.method = HTTPRequest.Method.get.rawValue
        fetchDraft.endpoint = endpoint
        fetchDraft.payload = []
        fetchDraft.blob = nil
        fetchDraft.fields = []
        let signIns = signIns
        let reply = await exchangeUnscheduled(fetchDraft, key: draft.id)
        if case .head(let head) = reply.result,
            policy.outcomes.verdict(for: head.facts(fetchDraft.method, tries: 1)) == .pause
        {
            reportUnauthorized(draft.account, since: signIns)
        }
        return reply
    }

    /// Sends one draft under a key.
    func exchange(_ draft: OutboxDraft, key: UUIDBytes) async -> Reply {
        let credentialFields: HTTPFields
        do {
            credentialFields = try await credentials.fields(for: draft.account, isRefused: false)
        } catch {
            store.host.logger.warning("there are no credentials for a write", metadata: ["error": "\(error)"])
            return Reply(result: .notSent)
        }
        do {
            let response = try await send(request(draft, key: key, credentialFields: credentialFields), draft)
            if response.head.status.code == 401 { state.withLock { $0.refused = credentialFields } }
            return await read(response)
        } catch let error as TransportError {
            return Reply(result: Self.sendResult(of: error), error: error)
        } catch {
            store.host.logger.warning("a write could not be sent", metadata: ["error": "\(error)"])
            guard let reason = Self.unreadableReason(error) else { return Reply(result: .notSent) }
            return Reply(result: .unsendable(reason), error: .invalidRequest(reason: reason))
        }
    }

    /// Returns the reason why the content to send cannot be read, if it never can be: an error of the medium passes,
    /// damage does not.
    private static func unreadableReason(_ error: any Error) -> String? {
        switch error as? StoreError {
        // A damaged record of `meta` says nothing about this write: it waits.
        case .damaged(table: TableName.meta.rawValue, _): nil
        case .damaged, .blobRemoved: "the content to send cannot be read: \(error)"
        default: nil
        }
    }

    func request(_ draft: OutboxDraft, key: UUIDBytes, credentialFields: HTTPFields) -> HTTPRequest {
        var fields = HTTPFields()
        for field in draft.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: String(decoding: field.value, as: UTF8.self)))
        }
        for field in credentialFields { fields[field.name] = field.value }
        let method = HTTPRequest.Method(draft.method) ?? .post
        if Self.keyedMethods.contains(method) { fields[configuration.keyField] = key.description }
        return configuration.base.request(method, appending: draft.endpoint, headers: fields)
    }

    private static let keyedMethods: Set<HTTPRequest.Method> = [.post, .put, .patch, .delete]

    /// Sends the body from where it is stored: a blob is held, and read chunk by chunk as it is sent.
    private func send(_ request: HTTPRequest, _ draft: OutboxDraft) async throws -> TransportResponse {
        guard let blob = draft.blob else {
            let body = draft.payload.isEmpty ? nil : draft.payload
            return try await transport.send(request, body: body, timeouts: configuration.timeouts)
        }
        guard let handle = try store.blob(blob.number) else { throw StoreError.blobRemoved }
        let readError = BodyReadError()
        let body = StreamedBody(byteCount: handle.byteCount) { range in
            do {
                var bytes: [UInt8] = []
                bytes.reserveCapacity(range.count)
                try handle.read(range) { span in bytes.append(copying: span) }
                return bytes
            } catch {
                readError.error.withLock { $0 = error }
                throw error
            }
        }
        do {
            return try await transport.send(request, streaming: body, timeouts: configuration.timeouts)
        } catch {
            // The error that ended the reading says more than the transport's. A server that got a part of a body has
            // got no request (RFC 9112 §8).
            throw readError.error.withLock { $0 } ?? error
        }
    }

    /// The reason why a body was not read to its end.
    private final class BodyReadError: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    /// Returns the meaning of the response to a write that was sent outside of the outbox.
    ///
    /// - Parameter tries: the sends that the server may have performed, this one included.
    /// - Throws: ``LarderTransport/TransportError`` when a response of success ended too early.
    package func verdict(
        reading response: TransportResponse, to method: HTTPRequest.Method, tries: Int
    ) async throws(TransportError) -> Verdict {
        let reply = await read(response)
        guard case .head(let answer) = reply.result else { throw reply.error ?? .connectionLost(reason: "no response") }
        return policy.outcomes.verdict(for: answer.facts(method.rawValue, tries: tries))
    }

    /// Reads a response to its end: success that did not arrive whole is no response.
    private func read(_ response: TransportResponse) async -> Reply {
        let head = response.head
        let content = await ResponseContent(reading: response.body, upTo: configuration.responseLimit)
        let body = content.body
        // The rest of a page is not needed.
        let error = OutboxConfiguration.isNoPage(head, body: content.prefix) ? content.error : nil
        if let error, head.status.kind == .successful { return Reply(result: .none, head: head, error: error) }
        let retryAfter = head.headerFields[.retryAfter].flatMap {
            RetryAfter.seconds($0, date: head.headerFields[.date], now: store.host.now())
        }
        let answer = ResponseSummary(
            head.status.code, isReplay: head.headerFields[configuration.replayField]?.lowercased() == "true",
            retryAfter: retryAfter.map { .seconds($0) }, isInProgress: Self.isInProgress(head, body),
            isForeign: configuration.isForeign(head, content), isWhole: content.error == nil)
        let accepted = AcceptedResponse(sequence: configuration.sequence(head), body: body, head: head)
        return Reply(result: .head(answer), accepted: accepted, head: head, body: body, error: error)
    }

    /// Whether the type of a problem (RFC 9457) says that the first request under the key has not ended.
    private static func isInProgress(_ head: HTTPResponse, _ body: [UInt8]?) -> Bool {
        guard head.status.code == 409, let body, let path = JSONPath("$.type"),
            head.headerFields[.contentType]?.lowercased().hasPrefix("application/problem+json") == true
        else { return false }
        let found = JSONExtractor([path]).values(of: body.rawSpan, codec: .json)
        guard case .text(let type)? = found.first else { return false }
        return type.contains("in-progress") || type.contains("outstanding")
    }

    static func sendResult(of error: TransportError) -> SendResult {
        switch error {
        case .connectionRefused, .noConnection, .tls, .timeout(.connect): .notSent
        case .invalidRequest(let reason): .unsendable(reason)
        case .cancelled, .timeout, .connectionLost, .bodyTooLarge, .encodedBody, .other: .none
        }
    }
}
