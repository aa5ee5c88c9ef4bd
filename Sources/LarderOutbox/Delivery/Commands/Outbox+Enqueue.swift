public import HTTPTypes
package import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension Outbox {
    /// Stores a write durably together with its effect, and returns before the server is asked.
    ///
    /// Works without a network and while the outbox does not run. Waiting enqueues share commits.
    ///
    /// - Returns: the new entry, the unfinished one with the same deduplication key and content, or the one that it was
    ///   merged into.
    /// - Throws: as ``prepare(_:)``; as ``LarderStore/Transaction/enqueue(_:)-(PreparedWrite)``; as
    ///   `Store.write(durability:_:)`.
    @discardableResult
    public func enqueue(_ write: OutboxWrite) async throws -> Enqueued {
        let prepared = try prepare(write)
        return try await store.write { transaction in try transaction.enqueue(prepared) }
    }

    /// Returns a write with its identity, to enqueue in a transaction of the host's.
    ///
    /// Reads the body of a write with a deduplication key that is a blob, to recognize the same content in another
    /// blob; blocks for as long as that lasts. A blob whose commit is still to come cannot be read, and counts as
    /// different from any other.
    ///
    /// - Throws: ``OutboxError/notSignedIn`` when no account is signed in; ``OutboxError/transport(_:)`` for an
    ///   endpoint that is no path; ``OutboxError/credentialField(_:)`` for a field that would store credentials.
    public func prepare(_ write: OutboxWrite) throws(OutboxError) -> PreparedWrite {
        try prepare(write, id: store.host.makeID(), triedAt: nil)
    }

    /// Returns a write as ``prepare(_:)`` does, under an identity made before; it must not have been enqueued.
    ///
    /// - Parameter triedAt: when it was sent under that identity without a response, in milliseconds since 1970-01-01
    ///   UTC; nil when the server cannot have it.
    /// - Throws: as ``prepare(_:)``.
    package func prepare(
        _ write: OutboxWrite, id: UUIDBytes, triedAt: Int64?
    ) throws(OutboxError) -> PreparedWrite {
        let account: String?
        switch state.withLock({ $0.authentication }) {
        case .signedIn(let name), .expired(let name): account = name
        case .signedOut: throw .notSignedIn
        }
        do throws(TransportError) {
            // Appended as text: without a slash it would extend the last word of the base, and with two it names
            // nothing.
            guard write.endpoint.hasPrefix("/"), !write.endpoint.hasPrefix("//") else {
                throw TransportError.invalidRequest(reason: "an endpoint begins with one slash")
            }
            _ = try RequestTarget(configuration.base.request(write.method, appending: write.endpoint))
        } catch {
            throw .transport(error)
        }
        var draft = OutboxDraft(
            id: id, lane: write.lane.text(entity: write.entity), createdAt: store.host.now(),
            mutationType: write.type, method: write.method.rawValue, endpoint: write.endpoint, payload: [])
        draft.setBody(write.body)
        draft.account = account
        draft.entity = write.entity
        try draft.setFields(write.fields, without: store.credentialFields)
        draft.after = write.after
        draft.deduplicationKey = write.deduplicationKey
        let comparedBlob = draft.deduplicationKey == nil ? nil : draft.blob
        draft.fingerprint = draft.contentFingerprint(comparedBlob.flatMap { content(of: $0) })
        draft.mostAttempts = write.mostAttempts ?? policy.mostAttempts
        draft.loadsResponse = write.loadsResponse
        var prepared = PreparedWrite(draft: draft, effects: write.effects, bounds: policy.bounds)
        prepared.coalescing = triedAt == nil ? write.coalescing : nil
        prepared.triedAt = triedAt
        prepared.server = configuration.server
        return prepared
    }

    /// Sends a write that may not wait, once, and returns the server's response; nothing of the write is stored.
    ///
    /// It is sent under a key of its own, so that a proxy that sends it twice does not double it. Where the server
    /// refuses the credentials (401) they are renewed, and it is sent once more under that key.
    ///
    /// - Throws: ``OutboxError/offline`` without a network, during the server's wait (Retry-After), and where something
    ///   else responds in the server's place, whatever the status; ``OutboxError/notSignedIn`` when no account is
    ///   signed in or its credentials stay refused; ``OutboxError/transport(_:)`` when the exchange fails;
    ///   ``OutboxError/refused(_:)`` for any response but success; otherwise as ``prepare(_:)``.
    public func send(_ write: OutboxWrite) async throws(OutboxError) -> (head: HTTPResponse, body: [UInt8]) {
        let prepared = try prepare(write)
        let isOffline = state.withLock { $0.loop?.machine.network == false }
        if isOffline { throw .offline }
        var reply = await exchangeUnscheduled(prepared.draft, key: prepared.id)
        if reply.isUnauthorized, await renewLogin(of: prepared.draft.account) == true {
            reply = await exchangeUnscheduled(prepared.draft, key: prepared.id)
        }
        if let error = reply.error { throw reply.result == .notSent ? .offline : .transport(error) }
        guard let head = reply.head, case .head(let answer) = reply.result else { throw .offline }
        if case .wait = policy.outcomes.verdict(for: answer.facts(prepared.draft.method, tries: 1)) { throw .offline }
        if head.status.code == 401 { throw .notSignedIn }
        if answer.isForeign { throw .offline }
        guard head.status.kind == .successful else { throw .refused(head) }
        return (head, reply.body ?? [])
    }

    /// Returns a checksum of the bytes of a blob, however they are stored; nil when they cannot be read (yet).
    private func content(of blob: Blob) -> UInt64? {
        guard let handle = try? store.blob(blob.number) else { return nil }
        var content: UInt64 = 0
        var start: Int64 = 0
        while start < handle.byteCount {
            let end = min(start + Self.contentPiece, handle.byteCount)
            var piece: [UInt8] = []
            piece.reserveCapacity(Int(end - start))
            guard (try? handle.read(start..<end) { span in piece.append(copying: span) }) != nil else { return nil }
            content = piece.rawSpan.xxh64(seed: content)
            start = end
        }
        return content
    }

    /// The length in bytes of a checksum's pieces. Never changes: an earlier version may have made the stored one.
    private static let contentPiece: Int64 = 128 << 10
}
