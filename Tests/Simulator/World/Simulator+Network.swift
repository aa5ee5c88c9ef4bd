// Simulator+Network: the responses of the simulated network.

internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

extension Simulator {
    /// How long a client waits for a head, and for the next piece of a body, in milliseconds.
    static let headLimit: Int64 = 10_000
    static let idleLimit: Int64 = 30_000

    /// The one server that everything is asked of.
    static let base: BaseURL = {
        let base = BaseURL("https://simulated.example")
        return base
    }()

    /// Who answers a request.
    enum Responder {
        case nobody, portal
        case server(OpenExchange)
    }

    /// Sends a request, and says what will come of it.
    func respond(to target: String) -> Responder {
        let request = try? ModelRequest.reading(target)
        recordingViolation {
            try checkRequest(target, request)
            try checkRequestedWait(.sync, target)
        }
        let count = exchanges[target, default: 0] + 1
        exchanges[target] = count
        if !link.isConnected { return .nobody }
        if hasPortal { return .portal }
        let key = "\(target)#\(count)"
        let seed = scenario.seed ^ HistoryTrace.hash(of: key.utf8)
        var generator = SeededGenerator(seed: seed)
        var exchange = network.exchange(target, with: server, using: &generator)
        if exchange.fault != nil || exchange.lag > 0 {
            if scenario.faulty?.contains(key) == false {
                exchange = faultlessExchange(target, seed)
            } else {
                faulty.append(key)
            }
        }
        if let request, !scenario.hasStaleReplica || request.isCopy {
            exchange = withoutLag(exchange, target, request)
        }
        log("  \(exchange)")
        let open = OpenExchange(exchange, request, sentAt: now, link: linkNumber, timeline: server.timeline)
        recordingViolation { try answered.open(open) }
        return .server(open)
    }

    private func faultlessExchange(_ target: String, _ seed: UInt64) -> SimulatedExchange {
        var generator = SeededGenerator(seed: seed)
        return faultless.exchange(target, with: server, using: &generator)
    }

    /// A replica that lags, or a cache that keeps old answers, has caught up by the last time that a run asks it, unless the
    /// history has one that stays behind.
    private func withoutLag(
        _ exchange: SimulatedExchange, _ target: String, _ request: ModelRequest
    ) -> SimulatedExchange {
        let isOld = exchange.lag > 0 || exchange.fault != nil
        let looks = oldAnswers[target, default: 0]
        oldAnswers[target] = isOld ? looks + 1 : nil
        guard isOld else { return exchange }
        switch request.kind {
        case .snapshot(let id):
            guard exchange.status == 404, exchange.fault == nil, looks + 1 >= scenario.snapshotAttempts,
                server.isPublic(id)
            else { return exchange }
            if scenario.hasStaleReplica {
                hiddenByLag.insert(ResourceKey(id.group, id.id))
                return exchange
            }
        default: if looks < SyncRun.maximumRollbackChecks || exchange.status != 200 { return exchange }
        }
        oldAnswers[target] = nil
        return faultlessExchange(target, scenario.seed)
    }

    /// Notes what a client sees of an exchange once its head is there.
    func recordHead(of open: OpenExchange) {
        if case .snapshot(let id) = open.request?.kind {
            answered.copies[ResourceKey(id.group, id.id)] = ServerResponses.Snapshot(
                timeline: open.timeline, isMissing: open.exchange.status == 404)
        } else if let text = open.request?.filter?.text {
            answered.record(open.exchange.status, ofPageOf: text)
        }
    }

    /// Notes an answer that a client has whole.
    func recordEnd(of open: OpenExchange) {
        observe(.sync, status: open.exchange.status, retryAfter: open.exchange.header("retry-after"))
        guard let filter = open.request?.filter, open.exchange.status == 200,
            let page = try? SyncPage(decoding: open.exchange.body)
        else { return }
        answered.pages[filter.text] = ServerResponses.Page(
            timeline: open.timeline, next: page.nextPageURL, token: page.nextSyncToken)
    }

    func close(_ open: OpenExchange) {
        if open.isClosed { return }
        open.isClosed = true
        answered.close(open)
    }
}
