internal import HTTPTypes
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

/// The outcome of sending a write once.
enum WriteTry: Sendable {
    /// The server has the write. Contains the object as it is now, where the response includes it.
    case accepted(HTTPResponse, StoredObject?)
    /// The server was not reached, or may accept the write later: it is queued, or still waits. Contains the response
    /// if it counts among the allowed attempts.
    case deferred(HTTPCacheError, counts: CountedResponse? = nil)
    /// The server would refuse the write again.
    case refused(HTTPResponse)
    /// The write cannot be sent now, or not as it is. A caller receives the error; a write that already waits still
    /// waits.
    case failed(HTTPCacheError)

    /// Creates the outcome that a verdict means for a write that is not in an outbox.
    ///
    /// - Parameter made: the object in a successful response, if there is one.
    init(_ head: HTTPResponse, _ verdict: Verdict, made: StoredObject?) {
        self =
            switch verdict {
            case .accepted: .accepted(head, made)
            case .rejected, .conflict: .refused(head)
            case .retry, .wait, .pause:
                .deferred(
                    head.status.kind == .successful ? .transport(.foreignResponse) : .server(head),
                    counts: CountedResponse(head, verdict))
            }
    }

    /// The reason for the outcome, as text without content of the exchange.
    var reason: String {
        switch self {
        case .accepted(let head, _), .refused(let head): "the server responded with status \(head.status.code)"
        case .deferred(let error, _), .failed(let error): "\(error)"
        }
    }
}

/// A response that requests another try and counts among the allowed attempts.
struct CountedResponse: Sendable {
    let status: Int
    /// The wait that the response requests.
    let after: Duration?

    /// Creates a counted response; nil where it does not count. Too many requests, a wait that the server names, and a
    /// request under the key that is still performed are no failure of the write.
    init?(_ head: HTTPResponse, _ verdict: Verdict) {
        guard case .retry(let after) = verdict, ![409, 429].contains(head.status.code),
            head.status != .serviceUnavailable || after == nil
        else { return nil }
        status = head.status.code
        self.after = after
    }
}

extension ObjectCache {
    /// The queue of persistent classes. Its verdicts also apply to writes in memory.
    var writeQueue: (any WriteQueue)? { state.withLock { $0.persistent?.writes } }

    /// The schedule for trying writes in memory again.
    var schedule: WriteSchedule { writeQueue?.schedule ?? WriteSchedule() }

    /// Sends a write once.
    func send(_ write: QueuedWrite, _ kind: ObjectWrite) async -> WriteTry {
        let queue = writeQueue
        let signIns = queue?.signInCount ?? 0
        do throws(HTTPCacheError) {
            let request = try request(for: write)
            // Checked after the request is made, because its credentials belong to an account that is signed in until
            // here.
            try checkLogin(for: write)
            var response = try await send(request, body: write.method == .delete ? nil : write.payload)
            var body: [UInt8]?
            if response.head.status.kind == .successful {
                let content = await ResponseContent(reading: response.body, upTo: options.responseLimit)
                body = content.body
                response.body = TransportBody(repeating: content)
            }
            var verdict = try await verdict(reading: response, to: write)
            if verdict == .pause, queue?.reportUnauthorized(write.account, since: signIns) != true {
                // No renewal of the login is under way, and the write must not hold back the others forever.
                verdict = .retry(after: nil)
            }
            return WriteTry(response.head, verdict, made: createdObject(by: kind, write, response.head, body))
        } catch {
            return error.isUnanswered ? .deferred(error) : .failed(error)
        }
    }

    /// Returns the object in a response to a write that was to create or change it; nil where the response contains
    /// another one, or none.
    private func createdObject(
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
        // The queue's field is also used for a write in memory: it may be moved to the queue, and is one write to the
        // server.
        if let name = writeQueue?.idempotencyKeyField ?? HTTPField.Name("Idempotency-Key") {
            request.headerFields[name] = write.id.description
        }
        if !write.payload.isEmpty {
            request.headerFields[.contentType] =
                write.contentType ?? (service.codec == .json ? "application/json" : "application/octet-stream")
        }
        return request
    }

    /// Returns the verdict on a response: that of the queue of persistent classes, or without one the standard verdict.
    ///
    /// - Throws: ``HTTPCacheError/transport(_:)`` when the body of a successful response broke off.
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
    /// Creates a body from one that was already read; of one that was too long, only the beginning.
    fileprivate init(repeating content: ResponseContent) {
        let beginning = Mutex<[UInt8]?>(content.prefix)
        let error = content.error
        self.init(next: { () async throws(TransportError) in
            if let chunk = beginning.withLock({ $0.take() }), !chunk.isEmpty { return chunk }
            if let error { throw error }
            return nil
        })
    }
}
