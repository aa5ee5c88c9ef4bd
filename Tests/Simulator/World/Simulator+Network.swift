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
        guard let base = BaseURL("https://simulated.example") else { preconditionFailure("an address is one") }
        return base
    }()

    /// Who answers a request.
    enum Answerer {
        case nobody, portal
        case server(OpenExchange)
    }

    /// Sends a request, and says what will come of it.
    func ask(_ target: String) -> Answerer {
        let request = try? ModelRequest.reading(target)
        noting {
            try checkRequest(target, request)
            try checkLeftAlone(.sync, target)
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
                exchange = undisturbed(target, seed)
            } else {
                faulty.append(key)
            }
        }
        if let request, !scenario.hasStaleReplica || request.isCopy {
            exchange = caughtUp(exchange, target, request)
        }
        note("  \(exchange)")
        let open = OpenExchange(exchange, request, sentAt: now, link: linkNumber, era: server.era)
        noting { try answered.open(open) }
        return .server(open)
    }

    private func undisturbed(_ target: String, _ seed: UInt64) -> SimulatedExchange {
        var generator = SeededGenerator(seed: seed)
        return faultless.exchange(target, with: server, using: &generator)
    }

    /// A replica that lags, or a cache that keeps old answers, has caught up by the last time that a run asks it, unless the
    /// history has one that stays behind.
    private func caughtUp(
        _ exchange: SimulatedExchange, _ target: String, _ request: ModelRequest
    ) -> SimulatedExchange {
        let isOld = exchange.lag > 0 || exchange.fault != nil
        let looks = oldAnswers[target, default: 0]
        oldAnswers[target] = isOld ? looks + 1 : nil
        guard isOld else { return exchange }
        switch request.kind {
        case .copy(let id):
            guard exchange.status == 404, exchange.fault == nil, looks + 1 >= scenario.fullCopyAttempts,
                server.isPublic(id)
            else { return exchange }
            if scenario.hasStaleReplica {
                hiddenByLag.insert(ResourceKey(id.group, id.id))
                return exchange
            }
        default: if looks < SyncRun.mostLooks || exchange.status != 200 { return exchange }
        }
        oldAnswers[target] = nil
        return undisturbed(target, scenario.seed)
    }

    /// Notes what a client sees of an exchange once its head is there.
    func noteHead(of open: OpenExchange) {
        if case .copy(let id) = open.request?.kind {
            answered.copies[ResourceKey(id.group, id.id)] = Answered.Copy(
                era: open.era, isMissing: open.exchange.status == 404)
        } else if let text = open.request?.filter?.text {
            answered.note(open.exchange.status, ofPageOf: text)
        }
    }

    /// Notes an answer that a client has whole.
    func noteEnd(of open: OpenExchange) {
        hear(.sync, status: open.exchange.status, retryAfter: open.exchange.header("retry-after"))
        guard let filter = open.request?.filter, open.exchange.status == 200,
            let page = try? SyncPage(decoding: open.exchange.body)
        else { return }
        answered.pages[filter.text] = Answered.Page(
            era: open.era, next: page.nextPageURL, token: page.nextSyncToken)
    }

    func close(_ open: OpenExchange) {
        if open.isClosed { return }
        open.isClosed = true
        answered.close(open)
    }
}
