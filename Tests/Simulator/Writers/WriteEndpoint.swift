// WriteEndpoint: performs writes, once per key for as long as the key is remembered.

internal import LarderFormat
internal import LarderOutbox
internal import LarderTesting

/// The part of a model server that performs writes, once for each key as long as it remembers it.
struct WriteEndpoint {
    /// What it says of a write.
    struct Reply {
        var head: ResponseSummary
        var sequence: Int64?
    }

    /// What is known of a write under its key.
    private struct RememberedReply {
        var reply: Reply
        let time: Int64
    }

    /// A time in which the server takes no writes.
    struct Outage {
        let end: Int64
        /// Whether it says for how long.
        let isAnnounced: Bool
    }

    /// How long beyond the client's belief a key is remembered, for requests that take their time; in milliseconds.
    private static let margin: Int64 = 600_000

    var areCredentialsStale = false
    var outage: Outage?
    /// What it has said, by the idempotency key of each write.
    private var memory: [String: RememberedReply] = [:]
    /// What came under each key first: the keys of requests, and those of the operations of batches.
    private var requests: [String: WriteRequest] = [:]
    private var operations: [String: WriteRequest.Operation] = [:]
    private var keys: [UUIDBytes: String] = [:]
    private let lifetime: Int64
    private var refusalCounts: [UUIDBytes: Int] = [:]
    /// How often each write was performed, the number of its change, and which were found to be done already.
    private(set) var performed: [UUIDBytes: Int] = [:]
    private(set) var sequences: [UUIDBytes: Int64] = [:]
    private(set) var gone: Set<UUIDBytes> = []
    private(set) var refused: Set<UUIDBytes> = []

    init(memory: Duration) { lifetime = memory.components.seconds * 1_000 + Self.margin }

    func hasPerformed(_ id: UUIDBytes) -> Bool { performed[id] != nil || gone.contains(id) }

    /// Compares a request with what came under its keys before, and with the writes that it names.
    mutating func check(_ request: WriteRequest, naming writes: [SimulatedWrite]) throws {
        if requests[request.key, default: request] != request {
            throw Violation(.appliedOnce, "another request goes out under the key of an earlier one: \(request.path)")
        }
        requests[request.key] = request
        for (write, operation) in zip(writes, request.operations) {
            guard operation.method == write.method, operation.resource == write.endpoint else {
                throw Violation(.outbox, "\(write.note) is sent as \(operation.method) of \(operation.resource)")
            }
            guard keys[write.id, default: operation.id] == operation.id else {
                throw Violation(.appliedOnce, "\(write.note) is sent under two keys")
            }
            keys[write.id] = operation.id
            if operations[operation.id, default: operation] != operation {
                throw Violation(.appliedOnce, "\(write.note) is sent under the key of another write")
            }
            operations[operation.id] = operation
        }
    }

    /// Takes a write that came under a key.
    ///
    /// - Parameter isQuiet: whether it says no only for good.
    mutating func handle(
        _ write: SimulatedWrite, under key: String, at time: Int64, isQuiet: Bool, server: inout ModelServer,
        using generator: inout SeededGenerator
    ) -> Reply {
        if areCredentialsStale { return Reply(head: ResponseSummary(401)) }
        if let known = memory[key], time - known.time < lifetime {
            var reply = known.reply
            reply.head.isReplay = true
            return reply
        }
        if !isQuiet, let outage, time < outage.end {
            let rest = Duration.seconds((outage.end - time + 999) / 1000)
            return Reply(head: outage.isAnnounced ? ResponseSummary(429, retryAfter: rest) : ResponseSummary(503))
        }
        let refusals = refusalCounts[write.id, default: 0]
        if !isQuiet, refusals < write.refusalCount {
            refusalCounts[write.id] = refusals + 1
            switch generator.below(4) {
            case 0: return Reply(head: ResponseSummary(429, retryAfter: .seconds(1 + generator.below(200))))
            case 1: return Reply(head: ResponseSummary(503, retryAfter: .seconds(1 + generator.below(20))))
            default: return Reply(head: ResponseSummary([500, 502, 504][generator.below(3)]))
            }
        }
        if write.fate == .conflict {
            refused.insert(write.id)
            return Reply(head: ResponseSummary(409))
        }
        let reply = write.fate == .refused ? refuse(write, 422) : perform(write, &server)
        memory[key] = RememberedReply(reply: reply, time: time)
        return reply
    }

    private mutating func refuse(_ write: SimulatedWrite, _ status: Int) -> Reply {
        refused.insert(write.id)
        return Reply(head: ResponseSummary(status))
    }

    private mutating func perform(_ write: SimulatedWrite, _ server: inout ModelServer) -> Reply {
        guard let sequence = server.write(write.change, to: write.row, of: write.resource) else {
            if write.change != .delete { return refuse(write, 404) }
            gone.insert(write.id)
            return Reply(head: ResponseSummary(404))
        }
        performed[write.id, default: 0] += 1
        sequences[write.id] = sequence
        return Reply(head: ResponseSummary(200), sequence: write.isSequenceReported ? sequence : nil)
    }
}
