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
                for await authentication in self.outbox.authenticationBroadcast.states() {
                    continuation.yield(.session(authentication))
                }
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
                await handle(input)
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

    private func handle(_ input: UploaderInput) async {
        switch input {
        case .event(let event):
            if case .network(let isUsable) = event { state.withLock { $0.network = isUsable } }
            await step(event)
            // The ring could not be read before, and there may be no further change that would cause another read.
            if state.withLock({ $0.machine?.needsRing == true }) { await readRing() }
        case .uploadEnded(let answer, let epoch):
            if state.withLock({ $0.epoch == epoch }) { await step(.uploadEnded(answer)) }
        case .session(let authentication): await handleAuthentication(authentication)
        case .changed: await readRing()
        }
    }

    /// Handles an authentication state. Another account has another ring, and a machine of its own.
    private func handleAuthentication(_ authentication: AuthenticationState) async {
        guard let ring = ring(of: authentication) else { return await step(.session(authentication)) }
        let isKnown = state.withLock { state in
            state.machine.map { BufferName(name, account: $0.account) == ring } ?? false
        }
        if isKnown { return await step(.session(authentication)) }
        let id = outbox.store.host.makeID()
        let (sending, network) = state.withLock { state in
            state.epoch += 1
            state.machine = UploadMachine(
                policy: policy, account: ring.account, authentication: authentication, seed: id.high ^ id.low)
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
                .ring(found?.upload ?? BufferUpload(), oldest: oldest, serverWait: try outbox.remainingServerWait()))
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
        let (reading, key) = (outbox.clockReading(), outbox.store.host.makeID())
        guard let ring = currentRing,
            let step = state.withLock({ $0.machine?.step(event, at: reading, freshKey: key) })
        else { return }
        if let change = step.change {
            do {
                guard try await commit(change, step.serverWait, to: ring) else { return await handleUnstoredChange() }
            } catch {
                outbox.store.host.logger.error("an upload was not stored", metadata: ["error": "\(error)"])
                return await handleUnstoredChange()
            }
        }
        for effect in step.effects { perform(effect, ring) }
    }

    /// Handles a change that was not stored: no effect of its step is performed, and the machine reads the ring again.
    private func handleUnstoredChange() async {
        let reading = outbox.clockReading()
        let step = state.withLock { state in
            state.machine?.step(.storageFailed, at: reading, freshKey: UUIDBytes(high: 0, low: 0))
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
                try transaction.completeUpload(of: ring, from: old, to: new, refused: refused)
            }
        }
    }
}

// MARK: - Effects

extension BufferUploader {
    private func perform(_ effect: UploadEffect, _ ring: BufferName) {
        switch effect {
        case .send(let batch): send(batch, of: ring)
        case .arm(let time): timer.set(time) { self.post(.event(.timer)) }
        case .expired: outbox.setAuthentication(.expired(ring.account))
        }
    }

    private func send(_ batch: BufferUpload.Batch, of ring: BufferName) {
        let epoch = state.withLock { state in
            state.epoch += 1
            return state.epoch
        }
        let sending = Task {
            let answer = await upload(batch, of: ring)
            post(.uploadEnded(answer, epoch: epoch))
        }
        state.withLock { $0.sending = sending }
    }

    private func upload(_ batch: BufferUpload.Batch, of ring: BufferName) async -> SendResult {
        do {
            if let rest = try outbox.remainingServerWait() { return .deferred(rest) }
            let points = try outbox.store.read { view in
                try view.checkServer(outbox.configuration.server, of: .outbox)
                return try view.points(in: ring, sequences: batch.sequences)
            }
            var draft = OutboxDraft(
                id: batch.key, lane: "", createdAt: 0, mutationType: name, method: "POST", endpoint: policy.endpoint,
                payload: UploadBody.encode(points.map(\.payload), as: policy.member))
            draft.account = ring.account
            draft.fields = [.init(name: "Content-Type", value: Array("application/json".utf8))]
            return await outbox.exchange(draft, key: batch.key).result
        } catch {
            outbox.store.host.logger.error("points could not be read", metadata: ["error": "\(error)"])
            return .notSent
        }
    }
}
