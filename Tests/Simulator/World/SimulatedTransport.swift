// SimulatedTransport: sends a process's requests to the model server over the simulated network, in virtual time.

internal import HTTPTypes
internal import LarderFormat
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

/// The transport of a process: asks the model server over the simulated network, in virtual time.
struct SimulatedTransport: Transport {
    unowned let world: Simulator
    let life: SimulatedProcess.Launch

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        _ = try RequestTarget(request)
        do {
            return try await answer(request.path ?? "")
        } catch {
            throw Self.seen(error)
        }
    }

    private static func seen(_ error: any Error) -> TransportError { error as? TransportError ?? .cancelled }

    private func answer(_ target: String) async throws -> TransportResponse {
        if life.isOver || Task.isCancelled { throw TransportError.cancelled }
        let open: OpenExchange
        switch world.respond(to: target) {
        case .nobody:
            try await world.pause(until: world.now + 1 + world.delay(), .exchange(.sync), "no connection", life)
            throw TransportError.noConnection(reason: "simulated")
        case .portal:
            try await world.pause(until: world.now + 1 + world.delay(), .exchange(.sync), "a portal answers", life)
            let type: HTTPFields = [.contentType: "text/html"]
            return TransportResponse(status: .ok, headers: type, body: Array("<html>Log in</html>".utf8))
        case .server(let openExchange): open = openExchange
        }
        do {
            return try await head(of: open)
        } catch {
            world.close(open)
            throw error
        }
    }

    private func head(of open: OpenExchange) async throws -> TransportResponse {
        let exchange = open.exchange
        let wait = min(exchange.headAfter ?? exchange.endsAfter ?? Simulator.headLimit, Simulator.headLimit)
        try await world.pause(until: open.sentAt + wait, .exchange(.sync), "gets a head", life)
        guard let status = exchange.status, exchange.headAfter == wait else {
            if exchange.headAfter == nil, case .failed(let error) = exchange.ending { throw error }
            throw TransportError.timeout(.head)
        }
        world.recordHead(of: open)
        var fields = HTTPFields()
        for (name, value) in exchange.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let body = TransportBody(
            next: { () async throws(TransportError) -> [UInt8]? in try await chunk(of: open) },
            cancel: { world.close(open) })
        return TransportResponse(
            head: HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields), body: body)
    }

    private func chunk(of open: OpenExchange) async throws(TransportError) -> [UInt8]? {
        do {
            if let chunk = try await next(of: open) { return chunk }
        } catch {
            world.close(open)
            throw Self.seen(error)
        }
        world.close(open)
        return nil
    }

    private func next(of open: OpenExchange) async throws -> [UInt8]? {
        if life.isOver || Task.isCancelled { throw TransportError.cancelled }
        if open.link != world.linkNumber { throw TransportError.connectionLost(reason: "simulated") }
        let exchange = open.exchange
        if open.chunksRead < exchange.chunks.count {
            let chunk = exchange.chunks[open.chunksRead]
            try await pause(until: open.sentAt + chunk.after, "gets a piece")
            open.chunksRead += 1
            return chunk.bytes
        }
        try await pause(
            until: exchange.endsAfter.map { open.sentAt + $0 } ?? world.now + Simulator.idleLimit, "gets the end")
        switch exchange.ending {
        case .whole: world.recordEnd(of: open)
        case .failed(let error): throw error
        case .stalled: throw TransportError.timeout(.idle)
        }
        return nil
    }

    private func pause(until time: Int64, _ label: String) async throws {
        if time > world.now { try await world.pause(until: time, .exchange(.sync), label, life) }
    }
}

/// Looks for a way past a captive portal.
struct SimulatedProbe: ReachabilityProbe {
    unowned let world: Simulator
    let life: SimulatedProcess.Launch

    func isReachable() async -> Bool {
        let network = world.watch.network
        do {
            try await world.pause(until: world.now + Int64(world.delays.below(2_000)), .probe, "probe", life)
        } catch {
            return false
        }
        let isReachable = world.link.isConnected && !world.hasPortal
        if isReachable { world.watch.probedPortal(on: network) }
        return isReachable
    }
}

/// An exchange under way.
final class OpenExchange: @unchecked Sendable {
    // Sendable: touched on the thread of the history only.
    let exchange: SimulatedExchange
    let request: ModelRequest?
    let sentAt: Int64
    /// The link it was sent on.
    let link: Int
    /// The server's era when it was sent.
    let timeline: Int
    var chunksRead = 0
    var isClosed = false

    init(_ exchange: SimulatedExchange, _ request: ModelRequest?, sentAt: Int64, link: Int, timeline: Int) {
        (self.exchange, self.request, self.sentAt, self.link, self.timeline) = (
            exchange, request, sentAt, link, timeline
        )
    }
}
