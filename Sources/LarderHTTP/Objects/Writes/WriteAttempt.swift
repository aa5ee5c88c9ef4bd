internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

/// What became of sending a write once.
enum WriteAttempt: Sendable {
    /// The server has it.
    case accepted(HTTPResponse)
    /// The server was not reached, or may accept it later: it is queued, or waits on; with what counts among the attempts that are
    /// allowed.
    case waits(HTTPCacheError, counts: CountedAnswer? = nil)
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
                .waits(
                    head.status.kind == .successful ? .transport(.notTheServers) : .server(head),
                    counts: CountedAnswer(head, verdict))
            }
    }

    /// Why it was not accepted, without content of the exchange.
    var reason: String {
        switch self {
        case .accepted(let head), .refused(let head): "the server answered with status \(head.status.code)"
        case .waits(let error, _), .failed(let error): "\(error)"
        }
    }
}

/// An answer that asks for another try and counts among those that are allowed.
struct CountedAnswer: Sendable {
    let status: Int
    /// The wait that it asks for.
    let after: Duration?

    /// Nil where it does not count: too many requests, a wait that the server names, and a request under the key that is still
    /// performed are no failure of the write.
    init?(_ head: HTTPResponse, _ verdict: Verdict) {
        guard case .retry(let after) = verdict, ![409, 429].contains(head.status.code),
            head.status != .serviceUnavailable || after == nil
        else { return nil }
        status = head.status.code
        self.after = after
    }
}

extension ObjectCache {
    /// The queue of persistent classes, whose judgement of answers counts for writes in memory too.
    var writeQueue: (any WriteQueue)? { state.withLock { $0.persistent?.writes } }

    /// When a write in memory is tried again.
    var schedule: WriteSchedule { writeQueue?.schedule ?? WriteSchedule() }

    /// Sends a write once.
    func send(_ write: QueuedWrite) async -> WriteAttempt {
        let queue = writeQueue
        let signIns = queue?.signIns ?? 0
        do throws(HTTPCacheError) {
            let request = try request(for: write)
            // Behind the request: its credentials are those of an account that is signed in until here.
            try checkLogin(for: write)
            let response = try await send(request, body: write.method == .delete ? nil : write.payload)
            var verdict = try await verdict(reading: response, to: write)
            if verdict == .pause, queue?.noteUnauthorized(write.account, since: signIns) != true {
                // Nothing renews the login, so that the write must not hold the others for ever.
                verdict = .retry(after: nil)
            }
            return WriteAttempt(response.head, verdict)
        } catch {
            return error.isUnanswered ? .waits(error) : .failed(error)
        }
    }

    func request(for write: QueuedWrite) throws(HTTPCacheError) -> HTTPRequest {
        var request: HTTPRequest
        do {
            request = try service.request(write.method, write.path)
        } catch {
            throw .invalidRequest("the service has no request for this write")
        }
        // The queue's own, also for a write in memory: it may be handed to the queue, and is one write to the server.
        if let name = writeQueue?.keyField ?? HTTPField.Name("Idempotency-Key") {
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
            if let queue = writeQueue {
                return try await queue.verdict(reading: response, to: write)
            }
            return try await OutcomeTable.standard.verdict(
                reading: response, to: write.method, tries: write.isInDoubt ? 2 : 1, at: host.now())
        } catch {
            throw .transport(error)
        }
    }
}
