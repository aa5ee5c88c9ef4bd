internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension Outbox {
    /// Steps the machine until it is told to stop. The outbox owns the store's writes meanwhile.
    func loop(
        _ inputs: AsyncStream<OutboxInput>, _ continuation: AsyncStream<OutboxInput>.Continuation
    ) async {
        // Before the table is read, so that nothing enqueued meanwhile is missed.
        let changes = store.changes(in: .outbox)
        begin(continuation)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await network in self.connectivity.states() {
                    continuation.yield(.event(.network(isUsable: network.level != .offline)))
                }
            }
            group.addTask {
                for await change in changes {
                    if !change.isEverything { continuation.yield(.lanes(change.lanes)) }
                    // Commits of others may come faster than the whole table is looked at.
                    if change.isEverything, self.makeLookDue() { continuation.yield(.look) }
                }
                self.disownIfClosed()
            }
            await reload(in: &group)
            reportUnshown()
            publish()
            for await input in inputs {
                await take(input, in: &group)
                publish()
                if isOver { break }
                endDrains()
            }
            group.cancelAll()
        }
        end()
        // Nobody else answers those who asked for something too late.
        for await input in inputs {
            if case .command(let command) = input { command.answer.resume(returning: .failure(OutboxError.stopped)) }
            if case .drain(let drain) = input { drain.end.finish() }
        }
    }

    private func begin(_ inputs: AsyncStream<OutboxInput>.Continuation) {
        let id = store.host.makeID()
        state.withLock { state in
            precondition(state.loop == nil, "the outbox runs already")
            let machine = DeliveryMachine(policy: policy, gate: state.gate, seed: id.high ^ id.low)
            state.loop = OutboxState.Loop(machine: machine, inputs: inputs)
            for drain in state.earlyDrains { inputs.yield(.drain(drain)) }
            state.earlyDrains = []
            // The last drain may have ended before there was a loop to tell.
            if state.draining?.drains == 0 { inputs.yield(.event(.stop)) }
        }
    }

    private func end() {
        let (loop, ownership) = state.withLock { state in
            state.untakenGates = 0
            (state.isReserved, state.draining) = (false, nil)
            return (state.loop.take(), state.takeIdleOwnership())
        }
        // Nothing is under way any more: another outbox may send.
        withExtendedLifetime(ownership) {}
        for drain in loop?.drains ?? [] { drain.end.finish() }
        loop?.timer?.cancel()
        loop?.inputs.finish()
        publish()
    }

    /// Whether no look was due before.
    private func makeLookDue() -> Bool {
        state.withLock { state in
            defer { state.loop?.isLookDue = true }
            return state.loop?.isLookDue == false
        }
    }

    private var isOver: Bool {
        state.withLock { state in
            guard let loop = state.loop else { return true }
            return loop.machine.isStopping && loop.flights.isEmpty
        }
    }

    /// Ends the waits before whose deadlines nothing will be under way unless something happens.
    private func endDrains() {
        let over = state.withLock { state -> [Drain] in
            guard let loop = state.loop, loop.machine.network != nil, loop.machine.flights.isEmpty, loop.tasks == 0
            else { return [] }
            let wake = (loop.resolutions.values.map { loop.wake($0) } + [loop.machine.armed]).compactMap { $0 }.min()
            let isOver = { (drain: Drain) in wake.map { $0 > drain.deadline } ?? true }
            state.loop?.drains.removeAll(where: isOver)
            return loop.drains.filter(isOver)
        }
        for drain in over { drain.end.finish() }
    }

    private func take(_ input: OutboxInput, in group: inout DiscardingTaskGroup) async {
        if state.withLock({ $0.loop?.needsReload == true }) { await reload(in: &group) }
        switch input {
        case .event(let event):
            if case .session = event { state.withLock { $0.untakenGates -= 1 } }
            await take(event, in: &group)
            if case .foreground = event { reportUnshown() }
        case .lanes(let lanes): await takeNew(in: lanes, in: &group)
        case .look:
            state.withLock { $0.loop?.isLookDue = false }
            await takeAll(in: &group)
        case .flight(let key, let number, let answer, let accepted):
            await takeAnswer(answer, accepted, of: key, number, in: &group)
        case .drain(let drain):
            // The drain also covers writes enqueued just before it.
            await takeAll(in: &group)
            state.withLock { state in _ = state.loop?.drains.append(drain) }
        case .settled(let settlement):
            let id = settlement.conflict.entryID
            let failure = await take(
                .discard(id, outcome: Settlement.outcome), along: { try $0.begin(settlement) }, in: &group)
            if failure == nil { report(.resolved(id, by: nil)) } else { retryResolution(of: id) }
        case .resolution(let id, let wait): take(wait, of: id, in: &group)
        case .taskEnded: state.withLock { $0.loop?.tasks -= 1 }
        case .command(let command):
            command.answer.resume(returning: await take(command, in: &group))
        }
    }

    /// Takes the answer of a request, unless it was given up: whatever others have done to other entries meanwhile.
    private func takeAnswer(
        _ answer: FlightAnswer, _ accepted: [UUIDBytes: AcceptedAnswer], of key: UUIDBytes, _ number: Int,
        in group: inout DiscardingTaskGroup
    ) async {
        var tries = 3
        var isStale = true
        while isStale, tries > 0, state.withLock({ $0.loop?.flights[key]?.number == number }) {
            isStale = await take(.answered(key, answer), accepted, in: &group) is OutOfStep
            tries -= 1
        }
        state.withLock { state in
            if state.loop?.flights[key]?.number == number { state.loop?.flights[key] = nil }
        }
        // An answer that found no place is none.
        if isStale, tries == 0 { await reload(keepsFlights: true, in: &group) }
    }

    /// Does what is wanted; once more when somebody else has acted in between.
    private func take(_ command: OutboxCommand, in group: inout DiscardingTaskGroup) async -> Result<Void, any Error> {
        var failure: (any Error)?
        for _ in 1...2 {
            // What it is about may have been enqueued a moment ago.
            if let lane = lane(of: command.event) { await takeNew(in: [lane], in: &group) }
            let refusal = state.withLock { state in state.loop.map { command.refusal($0.machine) } ?? nil }
            if let refusal { return .failure(refusal) }
            failure = await take(command.event, along: command.along, in: &group)
            guard failure is OutOfStep else { break }
        }
        return failure.map { .failure($0) } ?? .success(())
    }

    /// The lane of the entry that an event is about, if the machine does not know it.
    private func lane(of event: DeliveryEvent) -> String? {
        let id: UUIDBytes
        switch event {
        case .revive(let entry), .discard(let entry, _), .decide(let entry, _): id = entry
        default: return nil
        }
        let isKnown = state.withLock { state in state.loop?.machine.entries.contains { $0.id == id } ?? true }
        // What cannot be read is unknown, and said to be.
        return isKnown ? nil : try? store.read { view in try view.outboxHead(id)?.lane }
    }

    /// Steps the machine, stores what it changes, and performs what it asks for.
    ///
    /// - Returns: why nothing was stored, if it was not.
    @discardableResult
    func take(
        _ event: DeliveryEvent, _ accepted: [UUIDBytes: AcceptedAnswer] = [:], along: Alongside? = nil,
        in group: inout DiscardingTaskGroup
    ) async -> (any Error)? {
        guard let step = step(event) else { return OutboxError.stopped }
        let unloaded: [UnloadedAnswer]
        do {
            unloaded = try await commit(step, accepted, along)
        } catch {
            let isMismatch = error is OutOfStep || error is OutboxError
            if !isMismatch {
                store.host.logger.error("a step of the outbox was not stored", metadata: ["error": "\(error)"])
                for effect in self.step(.storageFailed)?.effects ?? [] { perform(effect, in: &group) }
            }
            await reload(keepsFlights: isMismatch, in: &group)
            return error
        }
        for effect in step.effects { perform(effect, accepted, in: &group) }
        for answer in unloaded { addTask(to: &group) { await self.load(answer) } }
        return nil
    }

    func step(_ event: DeliveryEvent) -> DeliveryStep? {
        let (moment, key) = (moment(), store.host.makeID())
        return state.withLock { state in state.loop?.machine.step(event, at: moment, freshKey: key) }
    }

    func commit(
        _ step: DeliveryStep, _ accepted: [UUIDBytes: AcceptedAnswer], _ along: Alongside? = nil
    ) async throws -> [UnloadedAnswer] {
        let (changes, wait) = (step.changes, step.serverWait)
        if changes.isEmpty, wait == nil { return [] }
        let (now, loading, server) = (store.host.now(), configuration.loading, configuration.base.origin)
        // Whatever is begun is of the account that is signed in.
        let account = state.withLock { $0.loop?.machine.gate.account }
        let unloaded: [UnloadedAnswer]
        do {
            unloaded = try await store.write { transaction in
                try along?(&transaction)
                try transaction.checkSignedIn(toBegin: step, as: account)
                try transaction.apply(wait, of: server, at: now)
                return try transaction.apply(changes, answers: accepted, at: now, loading: loading)
            }
        } catch is SignedOutElsewhere {
            noteSignedOut()
            throw OutOfStep(id: changes[0].id)
        }
        let rejections = changes.count { if case .reject = $0 { true } else { false } }
        state.withLock { $0.loop?.rejected += rejections }
        return unloaded
    }
}

extension OutboxState.Loop {
    /// When the resolution of a conflict goes on; nil while nothing that is known of has it go on.
    fileprivate func wake(_ wait: ResolutionWait) -> Duration? {
        switch wait {
        case .answer: .zero
        case .time(let time): machine.isOnline ? time : nil
        case .signIn(let account): machine.gate == .signedIn(account) ? .zero : nil
        }
    }
}
