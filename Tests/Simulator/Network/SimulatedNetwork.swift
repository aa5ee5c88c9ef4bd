// SimulatedNetwork: a network between one client and a model server, with the faults of its profile.

package import LarderTesting

/// A network between one client and a model server, with the faults of its profile.
///
/// It draws from a generator that the caller brings, so that each step of a history may have one of its own and a step
/// left out leaves the others as they were. Answers are those of the time of the request; latency then lets answers
/// overtake one another.
package struct SimulatedNetwork: Sendable {
    /// An answer that may come again.
    struct RecordedExchange: Sendable {
        let target: String
        let request: ModelRequest
        let answer: ModelAnswer
    }

    /// How many answers are remembered.
    private static let memory = 24

    /// How hostile the network is.
    package let profile: FaultProfile
    /// Whether nothing goes wrong for now, whatever the profile says. Setting it forgets earlier answers and storms.
    package var isQuiet = false {
        didSet {
            remembered = []
            storm = nil
        }
    }
    /// Good answers of this era, oldest first. What was said before the server was restored never comes again: the
    /// numbers start over, so no client could detect it.
    var remembered: [RecordedExchange] = []
    private var timeline = 0
    private var storm: (fault: NetworkFault, left: Int)?

    /// A network of the given profile.
    package init(profile: FaultProfile) { self.profile = profile }

    /// One GET of `target`, which begins with `/api/v4/`.
    package mutating func exchange(
        _ target: String, with server: ModelServer, using generator: inout SeededGenerator
    ) -> SimulatedExchange {
        let profile = isQuiet ? FaultProfile.quiet : profile
        if server.timeline != timeline {
            timeline = server.timeline
            remembered = []
        }
        var exchange = SimulatedExchange(target: target)
        exchange.fault = nextFault(profile, using: &generator)
        if generator.happens(perMille: profile.lagging) {
            exchange.lag = Int64(1 + generator.below(max(1, profile.greatestLag)))
        }
        let timing = Timing(profile, using: &generator)
        if exchange.fault == .lostBefore || exchange.fault == .stalledBeforeHead {
            exchange.end(after: timing.head)
            return exchange
        }
        let answer = self.answer(&exchange, from: server, using: &generator)
        exchange.receive(answer, timing, using: &generator)
        return exchange
    }

    private mutating func nextFault(_ profile: FaultProfile, using generator: inout SeededGenerator) -> NetworkFault? {
        if let (fault, left) = storm {
            storm = left > 1 ? (fault, left - 1) : nil
            return fault
        }
        guard let fault = profile.fault(using: &generator) else { return nil }
        if fault.comesInStorms, generator.below(4) == 0 { storm = (fault, 1 + generator.below(8)) }
        return fault
    }

    /// What the server says, or what comes in its place. Clears the fault where it could not be had.
    private mutating func answer(
        _ exchange: inout SimulatedExchange, from server: ModelServer, using generator: inout SeededGenerator
    ) -> ModelAnswer {
        if let made = Self.fabricated(exchange.fault, using: &generator) { return made }
        let request: ModelRequest
        do throws(ModelRequest.Refused) {
            request = try ModelRequest.reading(exchange.target)
        } catch {
            return error.answer
        }
        if exchange.fault == .repeated || exchange.fault == .mixedUp {
            if let old = earlierResponse(for: request, exchange, using: &generator) { return old }
            exchange.fault = nil
        }
        let answer = server.answer(request, lag: exchange.lag)
        if answer.status == 200 {
            remembered.append(RecordedExchange(target: exchange.target, request: request, answer: answer))
            if remembered.count > Self.memory { remembered.removeFirst() }
        }
        return answer
    }

    /// An answer that comes from between client and server.
    private static func fabricated(_ fault: NetworkFault?, using generator: inout SeededGenerator) -> ModelAnswer? {
        switch fault {
        case .rateLimited: return .problem(429, retryAfter: generator.below(120))
        case .serverError:
            let status = [500, 502, 503, 504][generator.below(4)]
            return .problem(status, retryAfter: status == 503 ? generator.below(60) : nil)
        case .unauthorized: return .problem(401)
        case .forbidden: return .problem(403)
        case .notFound: return .problem(404)
        case .redirected:
            return ModelAnswer(status: 302, body: [], further: [("location", "https://portal.example/login")])
        case .portal:
            return ModelAnswer(status: 200, body: Array("<html><body>Log in</body></html>".utf8), type: "text/html")
        case .resyncRequired: return .resyncRequired
        default: return nil
        }
    }

    private func earlierResponse(
        for request: ModelRequest, _ exchange: SimulatedExchange, using generator: inout SeededGenerator
    ) -> ModelAnswer? {
        let found = remembered.filter { old in
            exchange.fault == .repeated ? old.target == exchange.target : old.isUsableAsFallback(for: request)
        }
        return generator.pick(found)?.answer
    }
}
