internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

/// What became of sending a write once.
enum WriteAttempt: Sendable {
    /// The server has it.
    case accepted(HTTPResponse)
    /// The server was not reached, or may accept it later: it is queued, or waits on.
    case waits(HTTPCacheError)
    /// The server will refuse it again.
    case refused(HTTPResponse)
    /// It cannot be sent now, or as it is: a caller gets the error, and a write that waits already waits on.
    case failed(HTTPCacheError)

    /// What a verdict means for a write that is not in an outbox.
    init(_ head: HTTPResponse, _ verdict: Verdict) {
        self =
            switch verdict {
            case .accepted: .accepted(head)
            case .rejected, .conflict: .refused(head)
            case .retry, .wait, .pause:
                .waits(head.status.kind == .successful ? .transport(.notTheServers) : .server(head))
            }
    }

    /// Why it was not accepted, without content of the exchange.
    var reason: String {
        switch self {
        case .accepted(let head), .refused(let head): "the server answered with status \(head.status.code)"
        case .waits(let error), .failed(let error): "\(error)"
        }
    }
}

extension ObjectCache {
    /// Sends a write once.
    func send(_ write: QueuedWrite) async -> WriteAttempt {
        do throws(HTTPCacheError) {
            let request = try request(for: write)
            // Behind the request: its credentials are those of an account that is signed in until here.
            try checkLogin(for: write)
            let response = try await send(request, body: write.method == .delete ? nil : write.payload)
            return WriteAttempt(response.head, try await verdict(reading: response, to: write))
        } catch {
            return error.isUnanswered ? .waits(error) : .failed(error)
        }
    }

    private func request(for write: QueuedWrite) throws(HTTPCacheError) -> HTTPRequest {
        var request: HTTPRequest
        do {
            request = try service.request(write.method, write.path)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        // The queue's own, also for a write in memory: it may be handed to the queue, and is one write to the server.
        let queue = state.withLock { $0.persistent?.writes }
        if let name = queue?.keyField ?? HTTPField.Name("Idempotency-Key") {
            request.headerFields[name] = write.id.description
        }
        if !write.payload.isEmpty {
            request.headerFields[.contentType] =
                write.contentType ?? (service.codec == .json ? "application/json" : "application/octet-stream")
        }
        return request
    }

    /// What an answer means: to the queue of persistent classes, and without one by the standard.
    private func verdict(
        reading response: TransportResponse, to write: QueuedWrite
    ) async throws(HTTPCacheError) -> Verdict {
        do throws(TransportError) {
            if let queue = state.withLock({ $0.persistent?.writes }) {
                return try await queue.verdict(reading: response, to: write)
            }
            return try await OutcomeTable.standard.verdict(
                reading: response, to: write.method, tries: write.isInDoubt ? 2 : 1, at: host.now())
        } catch {
            throw .transport(error)
        }
    }
}
