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
                    self.post(.event(.network(isUsable: network.level != .offline)))
                }
            }
            group.addTask {
                for await _ in changes {
                    // Commits may be faster than the checks for changes.
                    if self.queueTableRead() { self.post(.tableChanged) }
                }
                self.releaseOwnershipIfClosed()
            }
            await runStep(StepRequest(.tableChanged), in: &group)
            reportUnshown()
            publish()
            for await input in inputs {
                await handle(input, in: &group)
                publish()
                if isOver { break }
                endDrains()
            }
            group.cancelAll()
        }
        end()
        // Inputs that were posted too late are completed here, as no other code does that.
        for await input in inputs {
            if case .command(let command) = input {
                command.continuation.resume(returning: .failure(OutboxError.stopped))
            }
            if case .drain(let drain) = input { drain.end.finish() }
        }
    }

    private func begin(_ inputs: AsyncStream<OutboxInput>.Continuation) {
        let id = store.host.makeID()
        state.withLock { state in
            precondition(state.loop == nil, "the outbox runs already")
            let machine = DeliveryMachine(policy: policy, authentication: state.authentication, seed: id.high ^ id.low)
            state.loop = OutboxState.Loop(machine: machine, inputs: inputs)
            for drain in state.earlyDrains { inputs.yield(.drain(drain)) }
            state.earlyDrains = []
            // The last drain may have ended before there was a loop to stop.
            if state.draining?.drains == 0 { inputs.yield(.event(.stop)) }
        }
    }

    private func end() {
        // Nothing is under way any more: another outbox may send.
        let loop = releasingOwnership { state in
            state.unhandledAuthenticationChanges = 0
            (state.isReserved, state.draining) = (false, nil)
            return (state.loop.take(), state.removeIdleOwnership())
        }
        for drain in loop?.drains ?? [] { drain.end.finish() }
        timer.set(nil)
        loop?.inputs.finish()
        publish()
    }

    /// Marks a check as queued; returns whether none was.
    private func queueTableRead() -> Bool {
        state.withLock { state in
            defer { state.loop?.isTableReadQueued = true }
            return state.loop?.isTableReadQueued == false
        }
    }

    private var isOver: Bool {
        state.withLock { state in
            guard let loop = state.loop else { return true }
            return loop.machine.isStopping && loop.tryTasks.isEmpty
        }
    }

    /// Ends the drains before whose deadlines nothing will be under way unless something happens.
    private func endDrains() {
        let over = state.withLock { state -> [Drain] in
            guard let loop = state.loop, loop.machine.network != nil, loop.machine.activeTries.isEmpty,
                loop.tasks == 0
            else { return [] }
            let wake = (loop.resolutions.values.map { loop.wakeTime($0) } + [loop.machine.armed]).compactMap { $0 }
                .min()
            let isOver = { (drain: Drain) in wake.map { $0 > drain.deadline } ?? true }
            state.loop?.drains.removeAll(where: isOver)
            return loop.drains.filter(isOver)
        }
        for drain in over { drain.end.finish() }
    }

    private func handle(_ input: OutboxInput, in group: inout DiscardingTaskGroup) async {
        await storeUnstored(in: &group)
        switch input {
        case .event(.timer):
            if !isStoragePaused(at: clockReading()) { await runStep(StepRequest(.timer), in: &group) }
        case .event(let event):
            if case .session = event { state.withLock { $0.unhandledAuthenticationChanges -= 1 } }
            let reading = clockReading()
            if event == .stop || isStoragePaused(at: reading) {
                stepWithoutStoring([event], at: reading, in: &group)
            } else {
                await runStep(StepRequest(event), in: &group)
            }
            if case .foreground = event { reportUnshown() }
        case .triesEnded: await storeResults(state.withLock { $0.loop?.removeEnded() } ?? [], in: &group)
        case .conflictResolved(let prepared):
            let id = prepared.conflict.entryID
            var request = StepRequest(.discard(id, outcome: PreparedResolution.outcome))
            request.commitHook = { try $0.recordResolution(prepared) }
            let failure = await runStep(request, in: &group)
            if failure == nil { report(.resolved(id, by: nil)) } else { retryResolution(of: id) }
        case .tableChanged:
            state.withLock { $0.loop?.isTableReadQueued = false }
            if hasTableChanges { await runStep(StepRequest(.tableChanged), in: &group) }
        case .drain(let drain):
            // The drain also covers writes enqueued just before it.
            if hasTableChanges { await runStep(StepRequest(.tableChanged), in: &group) }
            state.withLock { state in _ = state.loop?.drains.append(drain) }
        case .resolution(let id, let wait): setResolutionWait(wait, of: id, in: &group)
        case .taskEnded: state.withLock { $0.loop?.tasks -= 1 }
        case .command(let command):
            var request = command.request
            // The caller receives the error; the machine has nothing to wait for.
            request.pausesOnFailure = false
            let failure = await runStep(request, in: &group)
            command.continuation.resume(returning: failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Whether the table may have changed, and the store may be read again.
    private var hasTableChanges: Bool {
        if isStoragePaused(at: clockReading()) { return false }
        guard let version = state.withLock({ $0.loop?.version }) else { return true }
        // A store that cannot be read reports the error when it is written.
        return (try? store.read { view in view.isOutboxChanged(since: version) }) ?? true
    }

    /// Whether the store could not save a change, and the wait for the next attempt lasts.
    private func isStoragePaused(at reading: ClockReading) -> Bool {
        state.withLock { $0.loop?.machine.storageRetryTime.map { $0 > reading.elapsed } ?? false }
    }

    /// Stores the responses that could not be stored, as soon as the store may be written again: before anything else,
    /// as any other step clears the timer that is set for them.
    private func storeUnstored(in group: inout DiscardingTaskGroup) async {
        var remaining = state.withLock { state in
            defer { state.loop?.unstored = [] }
            return state.loop?.unstored ?? []
        }[...]
        while !isStoragePaused(at: clockReading()), let answer = remaining.popFirst() {
            await storeResult(answer, in: &group)
        }
        // A response that fails again is put behind the others: they may be what frees space for it.
        state.withLock { [remaining] state in state.loop?.unstored.insert(contentsOf: remaining, at: 0) }
    }

    /// Stores responses, in one step where that works.
    private func storeResults(_ answers: [CompletedTry], in group: inout DiscardingTaskGroup) async {
        if answers.count > 1, !isStoragePaused(at: clockReading()) {
            var request = StepRequest(answers.map { .tryEnded($0.key, $0.result) })
            for answer in answers { request.accepted.merge(answer.accepted) { first, _ in first } }
            request.pausesOnFailure = false
            let failure = await runStep(request, in: &group)
            if failure == nil || failure is CancellationError { return }
        }
        for answer in answers { await storeResult(answer, in: &group) }
    }

    /// Stores a response, or keeps it in memory where that fails.
    private func storeResult(_ answer: CompletedTry, in group: inout DiscardingTaskGroup) async {
        if !isStoragePaused(at: clockReading()) {
            var request = StepRequest(.tryEnded(answer.key, answer.result))
            request.accepted = answer.accepted
            var failure = await runStep(request, in: &group)
            if case .full? = failure as? StoreError,
                request.accepted.values.contains(where: { $0.body?.isEmpty == false })
            {
                // The server has the write, whether there is space for its response or not.
                request.accepted = request.accepted.mapValues { AcceptedResponse(sequence: $0.sequence, head: $0.head) }
                failure = await runStep(request, in: &group)
            }
            if failure?.isAboutRecord == true {
                // Where damage prevents that, the response counts as none: the request is sent again and blocks
                // nothing.
                failure = await runStep(StepRequest(.tryEnded(answer.key, .whole(.none))), in: &group)
            }
            if failure == nil || failure is CancellationError { return }
        } else {
            stepWithoutStoring([.tryEnded(answer.key, answer.result)], at: clockReading(), in: &group)
        }
        state.withLock { $0.loop?.unstored.append(answer) }
    }
}

extension OutboxState.Loop {
    /// Returns when the resolution of a conflict continues; nil while nothing that is known makes it continue.
    fileprivate func wakeTime(_ wait: ResolutionWait) -> Duration? {
        switch wait {
        case .response: .zero
        case .time(let time): machine.isOnline ? time : nil
        case .signIn(let account): machine.authentication == .signedIn(account) ? .zero : nil
        }
    }
}
