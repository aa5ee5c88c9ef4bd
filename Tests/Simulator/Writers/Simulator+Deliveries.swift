internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting
internal import LarderTransport

// What the machine asks for: requests, the timer, signing in.
extension Simulator {
    /// How long a client waits for an answer to a write, in milliseconds.
    private static let answerLimit: Int64 = 20_000

    func perform(_ effect: DeliveryEffect) throws {
        switch effect {
        case .send(let flight): try send(flight)
        case .arm(let time): armWriters(time)
        case .disarm: agenda.remove { $0 == .writeTimer }
        case .signIn(let account): signIn(account)
        case .report(.unresolved(let id)): decide(id)
        case .cancel, .resolve, .report: break
        }
    }

    private func armWriters(_ time: Duration) {
        agenda.remove { $0 == .writeTimer }
        let (seconds, attoseconds) = time.components
        let due = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        agenda.add(
            at: max(now, due), .writeTimer, "write timer"
        ) { [unowned self] in try tellWriters(.timer) }
    }

    private func signIn(_ account: String?) {
        agenda.add(
            at: now + Int64(writers.chances.below(3_000)), .signIn, "signs in"
        ) { [unowned self] in
            if !isQuiet, writers.chances.below(3) == 0 { return try tellWriters(.signInFailed) }
            desk.areCredentialsStale = false
            try tellWriters(.session(.signedIn(account)))
        }
    }

    /// The host looks whether the server has the write.
    func decide(_ id: UUIDBytes) {
        agenda.add(
            at: now + 100_000, .news, "decides"
        ) { [unowned self] in
            try tellWriters(.decide(id, desk.hasDone(id) ? .accepted : .sendAgain))
            // The outbox throws when a decision was not stored and does not ask again: the host repeats it.
            if try isUnresolved(id) { decide(id) }
        }
    }

    private func isUnresolved(_ id: UUIDBytes) throws -> Bool {
        guard let store else { return false }
        return try working { try store.read { view in try view.outboxEntry(id) } }?.delivery.state == .unresolved
    }

    private func send(_ flight: Flight) throws {
        let writes = try flight.entries.map { id in
            guard let write = writers.writes[id] else { throw Violation(.outbox, "a write that nobody made is sent") }
            return write
        }
        try checkSend(flight, writes)
        let tries = writers.tries[flight.key, default: 0] + 1
        writers.tries[flight.key] = tries
        let key = "\(flight.key)#\(tries)"
        note("  sends \(writes.map(\.note).joined(separator: ", ")), try \(tries)")
        var generator = SeededGenerator(seed: scenario.seed ^ HistoryTrace.hash(of: key.utf8))
        var luck = Luck(isQuiet: isQuiet, using: &generator)
        // From a generator of its own, so that all else is as it would be without.
        var files = SeededGenerator(seed: scenario.seed ^ HistoryTrace.hash(of: "\(key) is read".utf8))
        luck.isUnreadable = !isQuiet && files.below(40) == 0
        if luck.isFaulty {
            // A shorter history leaves faults out.
            if scenario.faulty?.contains(key) == false { luck = .fair } else { faulty.append(key) }
        }
        if !link.isConnected || hasPortal {
            return hear(.whole(.notSent), [:], of: flight, after: 1 + luck.latency)
        }
        if luck.isUnreadable { return hear(.whole(.unsendable("unreadable")), [:], of: flight, after: luck.latency) }
        if luck.isLostBefore { return hear(.whole(.none), [:], of: flight, after: Self.answerLimit) }
        arrive(flight, writes, luck, generator)
    }

    private func arrive(_ flight: Flight, _ writes: [SimulatedWrite], _ luck: Luck, _ generator: SeededGenerator) {
        let (sentOn, epoch) = (linkNumber, writers.epoch)
        agenda.add(
            at: now + luck.latency, .arrival, "arrives"
        ) { [unowned self] in
            var generator = generator
            let (answer, accepted, isFinal) = try answer(flight, writes, &generator)
            if luck.isDoubled, isFinal {
                // Again, from somewhere in the network; the answer goes nowhere.
                let again = generator
                agenda.add(
                    at: now + 1 + luck.echo, .arrival, "arrives again"
                ) { [unowned self] in
                    var generator = again
                    _ = try self.answer(flight, writes, &generator)
                }
            }
            guard writers.epoch == epoch, store != nil, luck.latency <= Self.answerLimit else { return }
            let isLost = luck.isLostAfter || sentOn != linkNumber
            hear(isLost ? .whole(.none) : answer, isLost ? [:] : accepted, of: flight, after: luck.latency)
        }
        // Whoever waits too long has no answer, whatever comes later.
        if luck.latency > Self.answerLimit { hear(.whole(.none), [:], of: flight, after: Self.answerLimit) }
    }

    private func hear(
        _ answer: FlightAnswer, _ accepted: [UUIDBytes: AcceptedAnswer], of flight: Flight, after wait: Int64
    ) {
        // One answer for each request.
        if agenda.count(of: .write(flight.key)) > 0 { return }
        agenda.add(
            at: now + wait, .write(flight.key), "hears"
        ) { [unowned self] in try tellWriters(.answered(flight.key, answer), accepted) }
    }

    /// What the server says, and whether it will say the same again.
    private func answer(
        _ flight: Flight, _ writes: [SimulatedWrite], _ generator: inout SeededGenerator
    ) throws -> (FlightAnswer, [UUIDBytes: AcceptedAnswer], isFinal: Bool) {
        var heads: [UUIDBytes: AnswerHead] = [:]
        var accepted: [UUIDBytes: AcceptedAnswer] = [:]
        for write in writes {
            let before = desk.performed[write.id] ?? 0
            let reply = desk.take(write, at: now, isQuiet: isQuiet, server: &server, using: &generator)
            note("  server on \(write.note): \(reply.head.status)\(reply.head.isReplay ? " again" : "")")
            if desk.performed[write.id] ?? 0 > before { try checkPerformed(write) }
            heads[write.id] = reply.head
            accepted[write.id] = AcceptedAnswer(sequence: reply.sequence)
        }
        let isFinal = heads.values.allSatisfy { $0.status < 400 || $0.status == 404 || $0.status == 422 }
        let first = heads[flight.entries[0]] ?? AnswerHead(500)
        // Who is not signed in is told so once.
        if !flight.isBatch || first.status == 401 { return (.whole(.head(first)), accepted, isFinal) }
        return (.members(heads), accepted, isFinal)
    }

    /// What the network does to one request.
    private struct Luck {
        static let fair = Luck()

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
        }
    }
}
