internal import HTTPTypes
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The server that objects are bound to, and its wait (`Retry-After`), shared with sync and the outbox by the write
// queue.
extension ObjectCache {
    /// Throws ``HTTPCacheError/otherServer(_:)`` when the store holds objects of another server than that of a request.
    func checkServer(_ request: HTTPRequest) async throws(HTTPCacheError) {
        guard let objects = state.withLock({ $0.persistent?.objects }),
            let server = service.serverIdentity ?? base(of: request)?.identity
        else { return }
        do {
            try await objects.bind(server: server)
        } catch let mismatch as ServerMismatch {
            throw .otherServer(mismatch)
        } catch {
            // No stored object can be mistaken for the server's then, since none can be read.
            host.logger.warning("it cannot be read of which server the objects are: \(error)")
        }
    }

    /// Throws ``HTTPCacheError/transport(_:)`` during the wait that the server of a request requested, and when that
    /// cannot be read: reads and writes then behave as without a network.
    func checkServerWait(_ request: HTTPRequest) throws(HTTPCacheError) {
        guard let server = base(of: request)?.origin, let queue = writeQueue else { return }
        let rest: Duration?
        do {
            rest = try queue.serverWait(of: server)
        } catch {
            throw .transport(.noConnection(reason: "the server's wait cannot be read: \(error)"))
        }
        guard let rest else { return }
        throw .transport(.noConnection(reason: "the server requested a wait, of which \(rest) is left"))
    }

    /// Stores the wait that a response requests.
    func recordServerWait(_ head: HTTPResponse, to request: HTTPRequest) async {
        // The page of a captive portal says nothing about the server.
        guard [429, 503].contains(head.status.code), ContentKind(head.headerFields[.contentType]) != .page,
            let field = head.headerFields[.retryAfter],
            let seconds = RetryAfter.seconds(field, date: head.headerFields[.date], now: host.now()), seconds > 0,
            let server = base(of: request)?.origin, let queue = writeQueue
        else { return }
        do {
            try await queue.recordServerWait(.seconds(seconds), of: server)
        } catch {
            host.logger.warning("the server's wait was not stored", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the server of a request.
    private func base(of request: HTTPRequest) -> BaseURL? {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        return BaseURL("\(scheme)://\(authority)")
    }
}
