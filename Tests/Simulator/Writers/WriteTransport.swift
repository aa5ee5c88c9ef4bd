// WriteTransport: sends the outbox's requests to the model server, in virtual time.

internal import HTTPTypes
internal import LarderFormat
internal import LarderOutbox
internal import LarderTesting
internal import LarderTransport

/// The transport of a process's outbox: brings writes to the desk of the model server, in virtual time.
struct WriteTransport: Transport {
    /// How long a client waits for an answer to a write, in milliseconds.
    private static let answerLimit: Int64 = 20_000

    unowned let world: Simulator
    let life: SimulatedProcess.Launch

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        _ = try RequestTarget(request)
        if life.isOver || Task.isCancelled { throw .cancelled }
        if request.method == .get {
            do {
                return try await state(at: request.path ?? "")
            } catch {
                throw error as? TransportError ?? .cancelled
            }
        }
        guard let (request, writes) = world.read(request, body ?? []) else { throw .cancelled }
        world.begin(writes)
        defer { world.finish(writes) }
        do {
            return try await answer(writes, request)
        } catch {
            throw error as? TransportError ?? .cancelled
        }
    }

    private func answer(_ writes: [SimulatedWrite], _ request: WriteRequest) async throws -> TransportResponse {
        let (faults, generator) = world.faults(of: writes, request.key)
        if faults.isUnreadable { throw TransportError.invalidRequest(reason: "simulated") }
        let sentAt = world.now
        if !world.link.isConnected {
            try await pause(until: sentAt + 1 + faults.latency, "finds nobody")
            throw TransportError.noConnection(reason: "simulated")
        }
        if world.hasPortal {
            try await pause(until: sentAt + 1 + faults.latency, "hears a portal")
            return TransportResponse(status: .ok, headers: [.contentType: "text/html"], body: Array("<html>".utf8))
        }
        let answer = WriteAnswer()
        if !faults.isLostBefore {
            world.arrive(request, with: writes, faults, generator, answer)
        }
        let isDelivered = !faults.isLostBefore && !faults.isLostAfter && faults.latency * 2 < Self.answerLimit
        try await pause(until: sentAt + (isDelivered ? faults.latency * 2 : Self.answerLimit), "hears")
        guard isDelivered, let response = answer.response else { throw TransportError.timeout(.head) }
        world.observe(.outbox, status: response.head.status.code, retryAfter: response.head.headerFields[.retryAfter])
        for wait in answer.waits { world.observe(.outbox, status: 429, retryAfter: "\(wait)") }
        return response
    }

    /// What the server holds of what a write is about.
    private func state(at path: String) async throws -> TransportResponse {
        let sentAt = world.now
        try await pause(until: sentAt + 5, "asks for a state")
        guard world.link.isConnected else { throw TransportError.noConnection(reason: "simulated") }
        if world.hasPortal {
            return TransportResponse(status: .ok, headers: [.contentType: "text/html"], body: Array("<html>".utf8))
        }
        let response = world.state(at: path)
        try await pause(until: sentAt + 10, "hears a state")
        return response
    }

    private func pause(until time: Int64, _ label: String) async throws {
        try await world.pause(until: time, .exchange(.outbox), label, life)
    }
}

/// What the server says, once the request has arrived.
final class WriteAnswer: @unchecked Sendable {
    // Sendable: touched on the thread of the history only.
    var response: TransportResponse?
    /// For how many seconds the outcomes of a batch ask to leave the server alone.
    var waits: [Int64] = []
}

/// What the network does to one request.
struct WriteFaults {
    static let fair = WriteFaults()

    /// What is to be sent cannot be read this time.
    var isUnreadable = false
    var isLostBefore = false
    var isLostAfter = false
    var isDoubled = false
    var latency: Int64 = 10
    var echo: Int64 = 0

    var isFaulty: Bool { isUnreadable || isLostBefore || isLostAfter || isDoubled || latency > 1_000 }

    private init() {}

    init(isQuiet: Bool, using generator: inout SeededGenerator) {
        latency = 1 + Int64(generator.below(60))
        if isQuiet { return }
        isLostBefore = generator.below(12) == 0
        isLostAfter = generator.below(8) == 0
        isDoubled = generator.below(8) == 0
        if generator.below(24) == 0 { latency = 1_000 + Int64(generator.below(59_000)) }
        echo = Int64(generator.below(2) == 0 ? generator.below(100) : generator.below(300_000))
        isUnreadable = generator.below(40) == 0
    }
}
