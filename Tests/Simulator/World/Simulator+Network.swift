internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

extension Simulator {
    /// How long a client waits for a head, and for the next piece of a body, in milliseconds.
    private static let headLimit: Int64 = 10_000
    private static let idleLimit: Int64 = 30_000

    /// Sends a request, and says what will come of it.
    private func send(_ path: ServerPath, _ run: SimulatedRun, _ kind: SyncError.RequestKind) throws
        -> SimulatedExchange?
    {
        try checkRequest(path.text, run, kind)
        try checkServerWait()
        let count = exchanges[path.text, default: 0] + 1
        exchanges[path.text] = count
        if !link.isConnected || hasPortal { return nil }
        let key = "\(path.text)#\(count)"
        let seed = scenario.seed ^ HistoryTrace.hash(of: key.utf8)
        var generator = SeededGenerator(seed: seed)
        var exchange = network.exchange(path.text, with: server, using: &generator)
        if exchange.fault != nil || exchange.lag > 0 {
            if scenario.faulty?.contains(key) == false {
                var again = SeededGenerator(seed: seed)
                exchange = faultless.exchange(path.text, with: server, using: &again)
            } else {
                faulty.append(key)
            }
        }
        note("  \(exchange)")
        return exchange
    }

    /// The one server that everything is asked of.
    static let origin = "https://simulated.example"

    /// Nothing is sent while the server wants to be left alone, as the store remembers it.
    private func checkServerWait() throws {
        let wait = try working { try store?.read { view in try view.serverWait(of: Self.origin, at: wall) } }
        guard let rest = wait?.remaining(at: wall), rest > 0 else { return }
        throw SyncError.serverWait(seconds: Int(clamping: (rest + 999) / 1000))
    }

    private func noteServerWait(_ error: SyncError) throws {
        guard let seconds = error.retryAfter, seconds > 0, let store else { return }
        try working {
            try store.writeBlocking(durability: .relaxed) { transaction in
                try transaction.noteServerWait(of: Self.origin, milliseconds: Int64(seconds) * 1000, at: wall)
            }
        }
        try look(.noted)
    }

    /// The replica that lags has no full copy of a resource that is public. Unless the history has one that stays behind,
    /// it has caught up by the last time it is asked.
    private func catchingUp(
        _ exchange: SimulatedExchange?, _ path: ServerPath, _ copy: SimulatedCopy
    ) -> SimulatedExchange? {
        guard let exchange, exchange.status == 404, exchange.fault == nil, exchange.lag > 0,
            copy.attempt == copy.attempts, server.isPublic(ModelServer.ResourceID(copy.resource))
        else { return exchange }
        if scenario.hasStaleReplica {
            hiddenByLag.insert(copy.resource)
            return exchange
        }
        var generator = SeededGenerator(seed: scenario.seed)
        return faultless.exchange(path.text, with: server, using: &generator)
    }

    /// A replica that lags, or a cache that keeps old pages, has caught up by the last time that a run asks it, unless the
    /// history has one that stays behind.
    private func caughtUp(
        _ exchange: SimulatedExchange?, _ path: ServerPath, _ run: SimulatedRun
    ) -> SimulatedExchange? {
        guard let exchange, run.looks == RunMachine.mostLooks, !scenario.hasStaleReplica, exchange.status == 200,
            exchange.lag > 0 || exchange.fault != nil
        else { return exchange }
        var generator = SeededGenerator(seed: scenario.seed)
        return faultless.exchange(path.text, with: server, using: &generator)
    }

    /// Fetches a page for a run.
    func fetch(_ path: ServerPath, _ run: SimulatedRun) {
        agenda.add(
            at: now + delay(), run.owner, "asks for a page", isCancellable: true,
            .run { [unowned self] in
                if run.isCancelled { throw CancellationError() }
                let exchange = caughtUp(try send(path, run, .page), path, run)
                run.pageEra = server.era
                let (number, sentOn) = (run.credentials, linkNumber)
                agenda.add(
                    at: now + end(of: exchange), run.owner, "gets a page", isCancellable: true,
                    .run { [unowned self] in
                        let exchange = try received(exchange, sentOn)
                        if exchange.status == 401, renew(run, number) {
                            fetch(path, run)
                            return nil
                        }
                        return try page(exchange)
                    })
                return nil
            })
    }

    /// When an exchange is over for the client, in milliseconds after it was sent.
    private func end(of exchange: SimulatedExchange?) -> Int64 {
        guard let exchange else { return 1 + delay() }
        guard let head = exchange.headAfter else { return min(exchange.endsAfter ?? Self.headLimit, Self.headLimit) }
        return min(exchange.endsAfter ?? ((exchange.chunks.last?.after ?? head) + Self.idleLimit), 600_000)
    }

    /// What a client sees of an exchange; throws for one that broke.
    private func received(_ exchange: SimulatedExchange?, _ sentOn: Int) throws -> SimulatedExchange {
        guard let exchange else {
            if hasPortal { throw SyncError.intercepted(status: 200) }
            throw TransportError.noConnection(reason: "simulated")
        }
        if sentOn != linkNumber { throw TransportError.connectionLost(reason: "simulated") }
        if exchange.headAfter == nil {
            if case .failed(let error) = exchange.ending { throw error }
            throw TransportError.timeout(.head)
        }
        return exchange
    }

    /// Gets credentials again, once in a run, after those of a number were refused; false when they were new.
    private func renew(_ run: SimulatedRun, _ number: Int) -> Bool {
        if number == 1 { run.credentials = 2 }
        return number == 1
    }

    private func page(_ exchange: SimulatedExchange) throws -> RunEvent {
        switch try verdict(exchange, .page) {
        case .resyncRequired: return .pageRejected
        case .fullCopyNotFound: throw SyncError.inconsistentRun(reason: "a page was answered as a full copy")
        case .good: break
        }
        switch exchange.ending {
        case .whole: break
        case .failed(let error): throw error
        case .stalled: throw TransportError.timeout(.idle)
        }
        do {
            return .page(try SyncPage(decoding: exchange.body))
        } catch {
            throw SyncError.wire(error, request: .page)
        }
    }

    private func verdict(_ exchange: SimulatedExchange, _ kind: SyncError.RequestKind) throws -> ServerVerdict {
        let status = exchange.status ?? 0
        let type = exchange.header("content-type")
        if ServerVerdict.isGood(status: status, contentType: type) { return .good }
        let problem = ServerProblem(status: status, body: exchange.ending == .whole ? exchange.body : [])
        do throws(SyncError) {
            return try ServerVerdict(
                problem, contentType: type, retryAfter: exchange.header("retry-after").flatMap { Int($0) }, to: kind)
        } catch {
            try noteServerWait(error)
            throw error
        }
    }
}

// MARK: - Full copies

extension Simulator {
    /// Sends the request of a full copy.
    func fetch(_ path: ServerPath, _ copy: SimulatedCopy) {
        ask(copy, "asks") { [unowned self] copy, _ in
            let exchange = catchingUp(try send(path, copy.run, .fullCopy), path, copy)
            (copy.era, copy.sentAt, copy.link, copy.chunksTaken) = (server.era, now, linkNumber, 0)
            copy.exchange = exchange
            let number = copy.run.credentials
            let head = min(exchange?.headAfter ?? end(of: exchange), Self.headLimit)
            ask(copy, "gets a head", at: now + head) { [unowned self] copy, _ in
                let exchange = try received(exchange, copy.link)
                if exchange.status == 401, renew(copy.run, number) {
                    fetch(path, copy)
                    return nil
                }
                switch try verdict(exchange, .fullCopy) {
                case .resyncRequired: throw SyncError.inconsistentRun(reason: "a full copy was answered as a page")
                case .fullCopyNotFound: return .missing
                case .good: return .answered(length: exchange.header("content-length").flatMap { Int($0) })
                }
            }
            return nil
        }
    }

    /// Waits for the next piece of a full copy's body.
    func read(_ copy: SimulatedCopy) {
        guard let exchange = copy.exchange else { preconditionFailure("a body that nobody asked for") }
        let isChunk = copy.chunksTaken < exchange.chunks.count
        let time: Int64
        if isChunk {
            time = max(now, copy.sentAt + exchange.chunks[copy.chunksTaken].after)
        } else {
            time = exchange.endsAfter.map { max(now, copy.sentAt + $0) } ?? now + Self.idleLimit
        }
        ask(copy, isChunk ? "gets a piece" : "gets the end", at: time) { [unowned self] copy, _ in
            if copy.link != linkNumber { throw TransportError.connectionLost(reason: "simulated") }
            if isChunk {
                copy.chunksTaken += 1
                return .chunk(exchange.chunks[copy.chunksTaken - 1].bytes)
            }
            switch exchange.ending {
            case .whole: return .bodyEnded
            case .failed(let error): throw error
            case .stalled: throw TransportError.timeout(.idle)
            }
        }
    }
}
