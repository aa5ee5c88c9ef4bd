internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension Outbox {
    /// Steps the machine until it is stopped. The outbox owns the store's writes meanwhile.
    func loop(
        _ inputs: AsyncStream<OutboxInput>, _ continuation: AsyncStream<OutboxInput>.Continuation
    ) async {
        // Observed before the table is read, so that no enqueued entry is missed.
        let changes = store.changes(in: .outbox)
        begin(continuation)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await network in self.connectivity.states() {
                    continuation.yield(.event(.network(isUsable: network.level != .offline)))
                }
            }
            group.addTask {
                for await _ in changes {
                    // Commits may be faster than the checks for changes.
                    if self.makeLookDue() { continuation.yield(.look) }
                }
                self.disownIfClosed()
            }
            await take(OutboxAct(.look), in: &group)
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
        // Inputs that were posted too late are completed here, as no other code does that.
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
            // The last drain may have ended before there was a loop to stop.
            if state.draining?.drains == 0 { inputs.yield(.event(.stop)) }
        }
    }

    private func end() {
        // Nothing is under way any more: another outbox may send.
        let loop = givingUp { state in
            state.untakenGates = 0
            (state.isReserved, state.draining) = (false, nil)
            return (state.loop.take(), state.takeIdleOwnership())
        }
        for drain in loop?.drains ?? [] { drain.end.finish() }
        timer.set(nil)
        loop?.inputs.finish()
        publish()
    }

    /// Marks a check as queued; returns whether none was.
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

    /// Ends the drains before whose deadlines nothing will be under way unless something happens.
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
        await storeKept(in: &group)
        switch input {
        case .event(.timer):
            if !isHeld(at: moment()) { await take(OutboxAct(.timer), in: &group) }
        case .event(let event):
            if case .session = event { state.withLock { $0.untakenGates -= 1 } }
            let moment = moment()
            if event == .stop || isHeld(at: moment) {
                stepAside([event], at: moment, in: &group)
            } else {
                await take(OutboxAct(event), in: &group)
            }
            if case .foreground = event { reportUnshown() }
        case .flight(let answer):
            state.withLock { $0.loop?.flights[answer.key] = nil }
            await take(answer, in: &group)
        case .settled(let settlement):
            let id = settlement.conflict.entryID
            var act = OutboxAct(.discard(id, outcome: Settlement.outcome))
            act.along = { try $0.begin(settlement) }
            let failure = await take(act, in: &group)
            if failure == nil { report(.resolved(id, by: nil)) } else { retryResolution(of: id) }
        case .look:
            state.withLock { $0.loop?.isLookDue = false }
            if hasNews { await take(OutboxAct(.look), in: &group) }
        case .drain(let drain):
            // The drain also covers writes enqueued just before it.
            if hasNews { await take(OutboxAct(.look), in: &group) }
            state.withLock { state in _ = state.loop?.drains.append(drain) }
        case .resolution(let id, let wait): take(wait, of: id, in: &group)
        case .taskEnded: state.withLock { $0.loop?.tasks -= 1 }
        case .command(let command):
            var act = command.act
            // The caller receives the error; the machine has nothing to wait for.
            act.holds = false
            let failure = await take(act, in: &group)
            command.answer.resume(returning: failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Whether the table may have changed, and the store may be read again.
    private var hasNews: Bool {
        if isHeld(at: moment()) { return false }
        guard let version = state.withLock({ $0.loop?.version }) else { return true }
        // A store that cannot be read reports the error when it is written.
        return (try? store.read { view in view.isOutboxChanged(since: version) }) ?? true
    }

    /// Whether the store could not save a change, and the wait for the next attempt lasts.
    private func isHeld(at moment: Moment) -> Bool {
        state.withLock { $0.loop?.machine.heldUntil.map { $0 > moment.elapsed } ?? false }
    }

    /// Stores the responses that could not be stored, as soon as the store may be written again: before anything else,
    /// as any other step clears the timer that is set for them.
    private func storeKept(in group: inout DiscardingTaskGroup) async {
        var kept = state.withLock { state in
            defer { state.loop?.unstored = [] }
            return state.loop?.unstored ?? []
        }[...]
        while !isHeld(at: moment()), let answer = kept.popFirst() { await take(answer, in: &group) }
        // A response that fails again is put behind the others: they may be what frees space for it.
        state.withLock { [kept] state in state.loop?.unstored.insert(contentsOf: kept, at: 0) }
    }

    /// Stores a response, or keeps it in memory where that fails.
    private func take(_ answer: OutboxAnswer, in group: inout DiscardingTaskGroup) async {
        if !isHeld(at: moment()) {
            var act = OutboxAct(.answered(answer.key, answer.answer))
            act.accepted = answer.accepted
            var failure = await take(act, in: &group)
            if case .full? = failure as? StoreError, act.accepted.values.contains(where: { $0.body?.isEmpty == false })
            {
                // The server has the write, whether there is space for its response or not.
                act.accepted = act.accepted.mapValues { AcceptedAnswer(sequence: $0.sequence, head: $0.head) }
                failure = await take(act, in: &group)
            }
            if failure?.isAboutRecord == true {
                // Where damage prevents that, the response counts as none: the request is sent again and blocks
                // nothing.
                failure = await take(OutboxAct(.answered(answer.key, .whole(.none))), in: &group)
            }
            if failure == nil || failure is CancellationError { return }
        } else {
            stepAside([.answered(answer.key, answer.answer)], at: moment(), in: &group)
        }
        state.withLock { $0.loop?.unstored.append(answer) }
    }
}

extension OutboxState.Loop {
    /// Returns when the resolution of a conflict continues; nil while nothing that is known makes it continue.
    fileprivate func wake(_ wait: ResolutionWait) -> Duration? {
        switch wait {
        case .answer: .zero
        case .time(let time): machine.isOnline ? time : nil
        case .signIn(let account): machine.gate == .signedIn(account) ? .zero : nil
        }
    }
}
