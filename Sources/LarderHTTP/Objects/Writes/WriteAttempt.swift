internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

/// What became of sending a write once.
enum WriteAttempt: Sendable {
    /// The server has it; with the object as it is now, where the answer says that.
    case accepted(HTTPResponse, StoredObject?)
    /// The server was not reached, or may accept it later: it is queued, or waits on; with what counts among the attempts that are
    /// allowed.
    case waits(HTTPCacheError, counts: CountedAnswer? = nil)
    /// The server will refuse it again.
    case refused(HTTPResponse)
    /// It cannot be sent now, or as it is: a caller gets the error, and a write that waits already waits on.
    case failed(HTTPCacheError)

    /// What a verdict means for a write that is not in an outbox.
    ///
    /// - Parameter made: what the answer holds, if it is one of success.
    init(_ head: HTTPResponse, _ verdict: Verdict, made: StoredObject?) {
        self =
            switch verdict {
            case .accepted: .accepted(head, made)
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
        case .accepted(let head, _), .refused(let head): "the server answered with status \(head.status.code)"
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
    func send(_ write: QueuedWrite, _ kind: ObjectWrite) async -> WriteAttempt {
        let queue = writeQueue
        let signIns = queue?.signIns ?? 0
        do throws(HTTPCacheError) {
            let request = try request(for: write)
            // Behind the request: its credentials are those of an account that is signed in until here.
            try checkLogin(for: write)
            var response = try await send(request, body: write.method == .delete ? nil : write.payload)
            var body: [UInt8]?
            if response.head.status.kind == .successful {
                let content = await AnswerContent(reading: response.body, upTo: options.answerLimit)
                body = content.body
                response.body = TransportBody(repeating: content)
            }
            var verdict = try await verdict(reading: response, to: write)
            if verdict == .pause, queue?.noteUnauthorized(write.account, since: signIns) != true {
                // Nothing renews the login, so that the write must not hold the others for ever.
                verdict = .retry(after: nil)
            }
            return WriteAttempt(response.head, verdict, made: made(by: kind, write, response.head, body))
        } catch {
            return error.isUnanswered ? .waits(error) : .failed(error)
        }
    }

    /// The object in an answer to a write that was to make or change it; nil where the answer holds another one, or none.
    private func made(
        by kind: ObjectWrite, _ write: QueuedWrite, _ head: HTTPResponse, _ body: [UInt8]?
    ) -> StoredObject? {
        let isNew: Bool
        switch kind {
        case .create: isNew = true
        case .save: isNew = false
        case .delete, .upload: return nil
        }
        func stored(_ id: String, _ payload: [UInt8], at time: Int64?) -> StoredObject {
            StoredObject(
                name: ObjectName(class: write.object.className, id: id), updatedAt: time ?? host.now(),
                codec: service.codec, payload: payload)
        }
        if let body, let found = try? service.objects(in: body, answering: .object(write.object)), found.count == 1 {
            let object = stored(found[0].id, found[0].payload, at: found[0].updatedAt)
            return isNew || object.name == write.object ? object : nil
        }
        return isNew ? service.id(ofCreated: head).map { stored($0, write.payload, at: nil) } : nil
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

extension TransportBody {
    /// A body that was read once: the beginning stands for one that was too long.
    fileprivate init(repeating content: AnswerContent) {
        let beginning = Mutex<[UInt8]?>(content.beginning)
        let error = content.error
        self.init(next: { () async throws(TransportError) in
            if let chunk = beginning.withLock({ $0.take() }), !chunk.isEmpty { return chunk }
            if let error { throw error }
            return nil
        })
    }
}
