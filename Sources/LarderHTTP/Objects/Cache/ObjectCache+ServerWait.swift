internal import HTTPTypes
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The server that objects are bound to, and its one wait (`Retry-After`), shared with sync and the outbox through the queue of writes.
extension ObjectCache {
    /// Throws where the store keeps objects of another server than that of a request.
    func checkServer(_ request: HTTPRequest) async throws(HTTPCacheError) {
        guard let objects = state.withLock({ $0.persistent?.objects }),
            let server = service.serverIdentity ?? base(of: request)?.identity
        else { return }
        do {
            try await objects.use(server: server)
        } catch let mismatch as ServerMismatch {
            throw .otherServer(mismatch)
        } catch {
            // Nothing that is kept can be taken for the server's either.
            host.logger.warning("it cannot be read of which server the objects are: \(error)")
        }
    }

    /// Throws during the wait that the server of a request asked for: reads and writes then go on as without a network. Also where
    /// that cannot be read.
    func checkServerWait(_ request: HTTPRequest) throws(HTTPCacheError) {
        guard let server = base(of: request)?.origin, let queue = writeQueue else { return }
        let rest: Duration?
        do {
            rest = try queue.serverWait(of: server)
        } catch {
            throw .transport(.noConnection(reason: "the server's wait cannot be read: \(error)"))
        }
        guard let rest else { return }
        throw .transport(.noConnection(reason: "the server asked to be left alone for \(rest) more"))
    }

    /// Stores the wait that an answer asks for.
    func noteServerWait(_ head: HTTPResponse, to request: HTTPRequest) async {
        // A captive portal's page does not speak for the server.
        guard [429, 503].contains(head.status.code), ContentKind(head.headerFields[.contentType]) != .page,
            let field = head.headerFields[.retryAfter],
            let seconds = RetryAfter.seconds(field, date: head.headerFields[.date], now: host.now()), seconds > 0,
            let server = base(of: request)?.origin, let queue = writeQueue
        else { return }
        do {
            try await queue.noteServerWait(.seconds(seconds), of: server)
        } catch {
            host.logger.warning("the server's wait was not stored", metadata: ["error": "\(error)"])
        }
    }

    /// The server of a request.
    private func base(of request: HTTPRequest) -> BaseURL? {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        return BaseURL("\(scheme)://\(authority)")
    }
}
