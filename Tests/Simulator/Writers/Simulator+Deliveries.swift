// Simulator+Deliveries: the network and server below the outbox, and the host that signs in and resolves conflicts.

internal import HTTPTypes
internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting
internal import LarderTransport

// The network and the server under the outbox, and the host that signs in and decides.
extension Simulator {
    /// The outbox of a process.
    func outbox(
        _ store: Store, _ connectivity: ScriptedConnectivity, _ life: SimulatedProcess.Launch
    ) -> Outbox {
        guard let base = BaseURL(WriteLog.server) else { preconditionFailure("an address is one") }
        var configuration = OutboxConfiguration(base: base)
        configuration.signIn = { [unowned self] _ in await signIn(life) }
        if scenario.hasResolver { configuration.conflicts = ConflictResolver(Self.policy) }
        return Outbox(
            store: store, transport: WriteTransport(world: self, life: life), configuration: configuration,
            policy: scenario.delivery, account: WriteLog.accounts[0], connectivity: connectivity,
            onEvent: { [unowned self] event in if !life.isOver { handle(event) } })
    }

    /// Resolves each conflict in one of three ways, by its identity.
    private static let policy = ConflictPolicy("simulated") { conflict in
        switch conflict.entryID.low % 3 {
        case 0: return .keepRemote
        case 1: return .keepLocal
        default:
            guard conflict.entry.method == "PUT" else { return .keepLocal }
            return .send(conflict.entry.payload, shown: conflict.local.payload)
        }
    }

    /// What the server holds at the place of a write.
    func state(at path: String) -> TransportResponse {
        if writeEndpoint.areCredentialsStale { return TransportResponse(status: .unauthorized, headers: [:], body: []) }
        let write = writers.writes.values.first { $0.endpoint == path }
        let payload = write.flatMap { write in
            server.payloads(of: write.row, in: write.resource, since: server.sequence).first ?? nil
        }
        log("  state of \(path): \(payload ?? "none")")
        guard let payload else { return TransportResponse(status: .notFound, headers: [:], body: []) }
        return TransportResponse(status: .ok, headers: [.contentType: "application/json"], body: Array(payload.utf8))
    }

    private func handle(_ event: OutboxEvent) {
        if case .unresolved(let id) = event { decide(id) }
        // A run that is cancelled says so of what it does not store any more.
        if case .storageFailed = event, !isStopping, !disk.hasFailed {
            broken = broken ?? Violation(.store, "the outbox cannot store what happened")
        }
    }

    private func signIn(_ life: SimulatedProcess.Launch) async -> Bool {
        do {
            try await pause(until: now + Int64(writers.random.below(3_000)), .signIn, "signs in", life)
        } catch {
            return false
        }
        if !isQuiet, writers.random.below(3) == 0 { return false }
        writeEndpoint.areCredentialsStale = false
        return true
    }

    /// The host looks whether the server has the write, and says so until that is stored.
    func decide(_ id: UUIDBytes) {
        agenda.add(at: now + 100_000, .networkChange, "decides") { [unowned self] in
            guard let process, let outbox = process.outbox,
                try working({ try process.store.read { view in try view.outboxEntry(id) } })?.delivery.state
                    == .unresolved
            else { return }
            leftAlone[.outbox] = nil
            let decision: Decision = writeEndpoint.hasPerformed(id) ? .accepted : .sendAgain
            process.call { try? await outbox.decide(id, decision) }
            decide(id)
        }
    }

    /// Reads a request, and finds the writes that it names; nil, with a promise broken, for one that no host made.
    func read(_ request: HTTPRequest, _ body: [UInt8]) -> (WriteRequest, [SimulatedWrite])? {
        do {
            let request = try WriteRequest(request, body, batchesTo: scenario.delivery.batch?.endpoint)
            let writes = request.operations.compactMap { operation in
                writers.writes.values.first {
                    $0.note == operation.payload.note && writers.ends[$0.id] != .resolved
                }
            }
            if writes.isEmpty || writes.count != request.operations.count {
                throw Violation(.outbox, "a write that nobody made is sent: \(request.path)")
            }
            try writeEndpoint.check(request, naming: writes)
            return (request, writes)
        } catch {
            recordingViolation { throw error }
            return nil
        }
    }

    /// Notes that writes are being sent.
    func begin(_ writes: [SimulatedWrite]) {
        log("  sends \(writes.map(\.note).joined(separator: ", "))")
        recordingViolation { try checkSend(writes) }
        writers.underWay.formUnion(writes.map(\.id))
    }

    func finish(_ writes: [SimulatedWrite]) { writers.underWay.subtract(writes.map(\.id)) }

    /// The network faults of a request, and the generator of its server faults.
    func faults(of writes: [SimulatedWrite], _ idempotencyKey: String) -> (WriteFaults, SeededGenerator) {
        let tries = writers.tries[idempotencyKey, default: 0] + 1
        writers.tries[idempotencyKey] = tries
        let key = "\(writes.map(\.note).joined(separator: "+"))#\(tries)"
        var generator = SeededGenerator(seed: scenario.seed ^ HistoryTrace.hash(of: key.utf8))
        var faults = WriteFaults(isQuiet: isQuiet, using: &generator)
        if faults.isFaulty {
            // A shorter history leaves faults out.
            if scenario.faulty?.contains(key) == false { faults = .fair } else { faulty.append(key) }
        }
        return (faults, generator)
    }

    /// Lets a request arrive, whatever becomes of the client; perhaps twice.
    func arrive(
        _ request: WriteRequest, with writes: [SimulatedWrite], _ faults: WriteFaults, _ generator: SeededGenerator,
        _ answer: WriteAnswer
    ) {
        agenda.add(at: now + faults.latency, .arrival, "arrives") { [unowned self] in
            var generator = generator
            let (response, waits, isFinal) = try respond(to: request, with: writes, &generator)
            (answer.response, answer.waits) = (response, waits)
            guard faults.isDoubled, isFinal else { return }
            // Again, from somewhere in the network; the answer goes nowhere.
            let again = generator
            agenda.add(at: now + 1 + faults.echo, .arrival, "arrives again") { [unowned self] in
                var generator = again
                _ = try respond(to: request, with: writes, &generator)
            }
        }
    }

    /// What the server says, and whether it will say the same again.
    private func respond(
        to request: WriteRequest, with writes: [SimulatedWrite], _ generator: inout SeededGenerator
    ) throws -> (TransportResponse, waits: [Int64], isFinal: Bool) {
        var replies: [WriteEndpoint.Reply] = []
        for (write, operation) in zip(writes, request.operations) {
            let before = writeEndpoint.performed[write.id] ?? 0
            let reply = writeEndpoint.handle(
                write, under: operation.id, at: now, isQuiet: isQuiet, server: &server, using: &generator)
            log("  server on \(write.note): \(reply.head.status)\(reply.head.isReplay ? " again" : "")")
            if writeEndpoint.performed[write.id] ?? 0 > before { try checkPerformed(write) }
            replies.append(reply)
        }
        let isFinal = replies.allSatisfy { $0.head.status < 400 || $0.head.status == 404 || $0.head.status == 422 }
        // A request without a session gets a single 401 answer.
        guard request.isBatch, replies[0].head.status != 401 else { return (replies[0].response, [], isFinal) }
        let outcomes = zip(writes, replies).map { write, reply in reply.outcome(of: write.id) }
        let body = "{\"outcomes\":[\(outcomes.joined(separator: ","))]}"
        let waits = replies.compactMap { $0.head.retryAfter?.components.seconds }
        return (
            TransportResponse(status: .ok, headers: [.contentType: "application/json"], body: Array(body.utf8)), waits,
            isFinal
        )
    }
}

extension WriteEndpoint.Reply {
    /// The answer to a request of its own.
    fileprivate var response: TransportResponse {
        var fields: HTTPFields = [.contentType: "application/json"]
        if head.isReplay { fields[OutboxConfiguration.standardReplayField] = "true" }
        if let wait = head.retryAfter { fields[.retryAfter] = "\(wait.components.seconds)" }
        if let sequence { fields[OutboxConfiguration.sequenceField] = "\(sequence)" }
        return TransportResponse(
            status: HTTPResponse.Status(code: head.status), headers: fields, body: Array("{}".utf8))
    }

    /// The answer as one of a batch.
    fileprivate func outcome(of id: UUIDBytes) -> String {
        var text = "{\"id\":\"\(id)\",\"status\":\(head.status),\"replayed\":\(head.isReplay)"
        if let wait = head.retryAfter { text += ",\"retry_after\":\(wait.components.seconds)" }
        if let sequence { text += ",\"sequence\":\(sequence)" }
        return text + "}"
    }
}
