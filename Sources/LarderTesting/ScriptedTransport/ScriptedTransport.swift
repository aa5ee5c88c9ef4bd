public import HTTPTypes
public import LarderTransport
private import Synchronization

/// A transport around another one, with faults in exchanges by a script.
///
/// Exchanges are numbered from 0 in the order in which they begin. Every request is recorded, also one that fails
/// before it reaches the other side.
public final class ScriptedTransport: Transport {
    /// The request of one exchange.
    public struct Recorded: Sendable, Hashable {
        /// The number of the exchange.
        public let number: Int
        /// The request as it was given.
        public let request: HTTPRequest
        /// The body as it was given.
        public let body: [UInt8]?
    }

    private struct Plan {
        var faults: [Fault]
        var matches: @Sendable (HTTPRequest) -> Bool
        /// The number of matching exchanges that still pass before this plan applies.
        var countdown: Int
        /// The number of matching exchanges that it then applies to.
        var times: Int
    }

    private struct State {
        var recorded: [Recorded] = []
        var byNumber: [Int: [Fault]] = [:]
        var plans: [Plan] = []
        var routes: [ScriptedRoute] = []
    }

    /// Receives the requests that no route answers; nil: they get 404.
    private let base: (any Transport)?
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// A transport whose script is empty: every request goes to `base`.
    ///
    /// - Parameters:
    ///   - base: receives the requests that no fault stops.
    ///   - clock: measures delays, and the limits of stalled exchanges.
    public init(_ base: any Transport, clock: any Clock<Duration>) {
        self.base = base
        self.clock = clock
    }

    /// A transport without a server: a request that no route answers gets 404.
    ///
    /// ```swift
    /// let transport = ScriptedTransport(clock: clock)
    /// transport.on(.put, "/notes/*").answer(503).then(200)
    /// ```
    public init(clock: any Clock<Duration>) {
        base = nil
        self.clock = clock
    }

    /// A transport around a function that responds to each request.
    public convenience init(clock: any Clock<Duration>, handler: @escaping HandlerTransport.Handler) {
        self.init(HandlerTransport(handler), clock: clock)
    }

    /// Adds a route: requests of `method` whose path fits `pattern` get its answers. A later route precedes earlier ones.
    ///
    /// - Parameters:
    ///   - method: The method of the requests.
    ///   - pattern: A path in which `*` is any one segment: `/notes/*`. Queries are ignored.
    public func on(_ method: HTTPRequest.Method, _ pattern: String) -> ScriptedRoute {
        let route = ScriptedRoute(method, pattern)
        state.withLock { $0.routes.append(route) }
        return route
    }

    /// All requests so far, in the order in which their exchanges began.
    public var recorded: [Recorded] { state.withLock { $0.recorded } }

    /// The method and path of all requests so far, such as `GET /api/v4/changes`.
    public var lines: [String] {
        recorded.map { "\($0.request.method.rawValue) \($0.request.path ?? "")" }
    }

    /// Adds faults to the exchange of this number, 0 for the first.
    public func plan(_ faults: Fault..., exchange number: Int) {
        precondition(number >= 0, "an exchange numbered \(number)")
        state.withLock { $0.byNumber[number, default: []] += faults }
    }

    /// Adds faults to exchanges with certain requests.
    ///
    /// - Parameters:
    ///   - faults: the faults, in the order in which they apply.
    ///   - skip: the number of matching exchanges, counted from now, that have no fault first.
    ///   - times: the number of those after them that have these faults.
    ///   - matches: selects the requests.
    public func plan(
        _ faults: Fault..., after skip: Int = 0, times: Int = 1,
        where matches: @escaping @Sendable (HTTPRequest) -> Bool
    ) {
        precondition(skip >= 0 && times > 0, "skipping \(skip), \(times) times")
        state.withLock { $0.plans.append(Plan(faults: faults, matches: matches, countdown: skip, times: times)) }
    }

    /// Removes all faults that have not happened yet.
    public func clearPlans() {
        state.withLock { state in
            state.byNumber = [:]
            state.plans = []
        }
    }

    /// Sends the request through the faults that the script holds for it.
    ///
    /// - Throws: the error of a fault; `TransportError.timeout(_:)` for ``Fault/stallBeforeHead``;
    ///   `TransportError.cancelled` for a cancelled task; otherwise the error of the base.
    public func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let faults = begin(request, body: body)
        for fault in faults {
            if Task.isCancelled { throw .cancelled }
            switch fault {
            case .delay(let duration): try await sleep(duration)
            case .fail(let error): throw error
            default: continue
            }
        }
        var response = try await respond(to: request, body, timeouts)
        for fault in faults {
            if case .loseResponse(let error) = fault { throw error }
            if case .stallBeforeHead = fault {
                try await sleep(timeouts.head)
                throw .timeout(.head)
            }
            apply(fault, to: &response, timeouts: timeouts)
        }
        return response
    }
}

extension ScriptedTransport {
    private func respond(
        to request: HTTPRequest, _ body: [UInt8]?, _ timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        if let route = state.withLock({ $0.routes.last { $0.matches(request) } }) {
            _ = try RequestTarget(request)
            return route.response()
        }
        guard let base else { return TransportResponse(status: .notFound) }
        return try await base.send(request, body: body, timeouts: timeouts)
    }

    private func begin(_ request: HTTPRequest, body: [UInt8]?) -> [Fault] {
        state.withLock { state in
            let number = state.recorded.count
            state.recorded.append(Recorded(number: number, request: request, body: body))
            var faults = state.byNumber.removeValue(forKey: number) ?? []
            for place in state.plans.indices where state.plans[place].matches(request) {
                if state.plans[place].countdown > 0 {
                    state.plans[place].countdown -= 1
                } else {
                    state.plans[place].times -= 1
                    faults += state.plans[place].faults
                }
            }
            state.plans.removeAll { $0.times == 0 }
            return faults
        }
    }

    private func apply(_ fault: Fault, to response: inout TransportResponse, timeouts: TransportTimeouts) {
        switch fault {
        case .status(let status): response.head.status = status
        case .header(let name, let value): response.head.headerFields[name] = value
        case .body(let bytes): response.body = TransportBody(bytes)
        case .truncate(let count): response.body = response.body.ending(after: count) {}
        case .cut(let count):
            response.body = response.body.ending(after: count) { () throws(TransportError) in
                throw .connectionLost(reason: "cut by the script")
            }
        case .stall(let count):
            response.body = response.body.ending(after: count) { [self] () async throws(TransportError) in
                try await sleep(timeouts.idle)
                throw .timeout(.idle)
            }
        case .flip(let position, let mask): response.body = response.body.flipping(mask, at: position)
        case .rechunk(let size): response.body = response.body.rechunked(size)
        case .delay, .fail, .loseResponse, .stallBeforeHead: break
        }
    }

    private func sleep(_ duration: Duration) async throws(TransportError) {
        do {
            try await clock.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}
