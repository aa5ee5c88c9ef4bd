internal import HTTPTypes
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// One wait per server (`Retry-After`), shared with sync and the outbox through the queue of writes.
extension ObjectCache {
    /// Throws during the wait that the server of a request asked for: reads and writes then go on as without a network. Also where
    /// that cannot be read.
    func checkServerWait(_ request: HTTPRequest) throws(HTTPCacheError) {
        guard let server = server(of: request), let queue = writeQueue else { return }
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
            let server = server(of: request), let queue = writeQueue
        else { return }
        do {
            try await queue.noteServerWait(.seconds(seconds), of: server)
        } catch {
            host.logger.warning("the server's wait was not stored", metadata: ["error": "\(error)"])
        }
    }

    /// What the waits of a request's server are stored under.
    private func server(of request: HTTPRequest) -> String? {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        return BaseURL("\(scheme)://\(authority)")?.origin
    }
}
