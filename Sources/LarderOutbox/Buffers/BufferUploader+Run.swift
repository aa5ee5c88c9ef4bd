internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension BufferUploader {
    /// Uploads stored points, and points that are appended, until the task is cancelled or the store closes.
    ///
    /// For points alone: the run of its outbox does this as well. Of the uploaders that one outbox has for a buffer one
    /// runs at a time; another waits for its end.
    ///
    /// A request under way at the end is cancelled; it is sent again unchanged, under its key, at the next start.
    /// Unlike outboxes, uploaders of several outboxes do not exclude each other. Two at once, in any processes, send
    /// the same points under the same key, which a server that remembers keys performs once.
    public func run() async {
        guard await outbox.uploads.acquire(name) else { return }
        defer { outbox.uploads.release(name) }
        let (inputs, continuation) = AsyncStream<UploaderInput>.makeStream()
        // Observed before the ring is read, so that no appended point is missed.
        let changes = outbox.store.changes(in: .buffers)
        state.withLock { $0.inputs = continuation }
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await gate in self.outbox.gateBroadcast.states() { continuation.yield(.session(gate)) }
            }
            group.addTask {
                for await network in self.outbox.connectivity.states() {
                    continuation.yield(.event(.network(isUsable: network.level != .offline)))
                }
            }
            group.addTask {
                for await _ in changes { continuation.yield(.changed) }
                continuation.finish()
            }
            for await input in inputs {
                if Task.isCancelled { break }
                await take(input)
            }
            group.cancelAll()
        }
        end()
    }

    private func end() {
        let old = state.withLock { state in
            defer { state = UploaderState() }
            return state
        }
        old.inputs?.finish()
        old.sending?.cancel()
        timer.set(nil)
    }

    private func take(_ input: UploaderInput) async {
        switch input {
        case .event(let event):
            if case .network(let isUsable) = event { state.withLock { $0.network = isUsable } }
            await step(event)
            // The ring could not be read before, and there may be no further change that would cause another read.
            if state.withLock({ $0.machine?.needsRing == true }) { await readRing() }
        case .answered(let answer, let epoch):
            if state.withLock({ $0.epoch == epoch }) { await step(.answered(answer)) }
        case .session(let gate): await take(gate)
        case .changed: await readRing()
        }
    }

    /// Handles an authentication state. Another account has another ring, and a machine of its own.
    private func take(_ gate: SessionGate) async {
        guard let ring = ring(of: gate) else { return await step(.session(gate)) }
        let isKnown = state.withLock { state in
            state.machine.map { BufferName(name, account: $0.account) == ring } ?? false
        }
        if isKnown { return await step(.session(gate)) }
        let id = outbox.store.host.makeID()
        let (sending, network) = state.withLock { state in
            state.epoch += 1
            state.machine = UploadMachine(policy: policy, account: ring.account, gate: gate, seed: id.high ^ id.low)
            return (state.sending.take(), state.network)
        }
        sending?.cancel()
        timer.set(nil)
        if let network { await step(.network(isUsable: network)) }
        await readRing()
    }

    /// Passes the state of the stored ring to the machine.
    private func readRing() async {
        guard let ring = currentRing else { return }
        do {
            let (found, oldest) = try outbox.store.read { view in
                (try view.buffer(ring), try view.pointSequences(in: ring, limit: policy.mostPoints))
            }
            await step(
                .ring(found?.upload ?? BufferUpload(), oldest: oldest, serverWait: try outbox.waitOfServer()))
        } catch {
            outbox.store.host.logger.error("a buffer could not be read", metadata: ["error": "\(error)"])
            await step(.storageFailed)
        }
    }

    private var currentRing: BufferName? {
        state.withLock { state in state.machine.map { BufferName(name, account: $0.account) } }
    }

    /// Steps the machine, stores its change, and performs its effects.
    private func step(_ event: UploadEvent) async {
        let (moment, key) = (outbox.moment(), outbox.store.host.makeID())
        guard let ring = currentRing,
            let step = state.withLock({ $0.machine?.step(event, at: moment, freshKey: key) })
        else { return }
        if let change = step.change {
            do {
                guard try await commit(change, step.serverWait, to: ring) else { return await giveUp() }
            } catch {
                outbox.store.host.logger.error("an upload was not stored", metadata: ["error": "\(error)"])
                return await giveUp()
            }
        }
        for effect in step.effects { perform(effect, ring) }
    }

    /// Handles a change that was not stored: no effect of its step is performed, and the machine reads the ring again.
    private func giveUp() async {
        let moment = outbox.moment()
        let step = state.withLock { state in
            state.machine?.step(.storageFailed, at: moment, freshKey: UUIDBytes(high: 0, low: 0))
        }
        if let ring = currentRing { for effect in step?.effects ?? [] { perform(effect, ring) } }
        post(.changed)
    }

    private func commit(
        _ change: UploadChange, _ wait: ServerWaitChange?, to ring: BufferName
    ) async throws -> Bool {
        let (server, now) = (outbox.configuration.base.origin, outbox.store.host.now())
        return try await outbox.store.write { transaction in
            try transaction.apply(wait, of: server, at: now)
            return switch change {
            case .update(let old, let new): try transaction.updateUpload(of: ring, from: old, to: new)
            case .acknowledge(let old, let new, let refused):
                try transaction.acknowledgePoints(of: ring, from: old, to: new, refused: refused)
            }
        }
    }
}

// MARK: - Effects

extension BufferUploader {
    private func perform(_ effect: UploadEffect, _ ring: BufferName) {
        switch effect {
        case .send(let flight): send(flight, of: ring)
        case .arm(let time): timer.set(time) { self.post(.event(.timer)) }
        case .expired: outbox.setGate(.expired(ring.account))
        }
    }

    private func send(_ flight: BufferUpload.Flight, of ring: BufferName) {
        let epoch = state.withLock { state in
            state.epoch += 1
            return state.epoch
        }
        let sending = Task {
            let answer = await answer(to: flight, of: ring)
            post(.answered(answer, epoch: epoch))
        }
        state.withLock { $0.sending = sending }
    }

    private func answer(to flight: BufferUpload.Flight, of ring: BufferName) async -> Answer {
        do {
            if let rest = try outbox.waitOfServer() { return .heldBack(rest) }
            let points = try outbox.store.read { view in
                try view.checkServer(outbox.configuration.server, of: .outbox)
                return try view.points(in: ring, sequences: flight.sequences)
            }
            var draft = OutboxDraft(
                id: flight.key, lane: "", createdAt: 0, mutationType: name, method: "POST", endpoint: policy.endpoint,
                payload: UploadBody.encode(points.map(\.payload), as: policy.member))
            draft.account = ring.account
            draft.fields = [.init(name: "Content-Type", value: Array("application/json".utf8))]
            return await outbox.exchange(draft, key: flight.key).answer
        } catch {
            outbox.store.host.logger.error("points could not be read", metadata: ["error": "\(error)"])
            return .notSent
        }
    }
}
