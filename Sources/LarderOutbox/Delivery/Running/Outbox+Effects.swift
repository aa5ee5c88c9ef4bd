internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The effects of the machine, performed once its changes are stored.
extension Outbox {
    func perform(
        _ effect: DeliveryEffect, _ accepted: [UUIDBytes: AcceptedResponse] = [:], in group: inout DiscardingTaskGroup
    ) {
        switch effect {
        case .send(let request): start(request, in: &group)
        case .cancel(let key): state.withLock { $0.loop?.tryTasks[key] }?.cancel()
        case .arm(let time): timer.set(time) { self.post(.event(.timer)) }
        case .signIn(let account):
            addTask(to: &group) {
                guard let isSignedIn = await self.renewLogin(of: account) else { return }
                let isStillExpired = self.state.withLock { $0.authentication == .expired(account) }
                // Another account may have signed in meanwhile, or the account may have signed out.
                guard isStillExpired else { return }
                if isSignedIn { self.setAuthentication(.signedIn(account)) } else { self.post(.event(.signInFailed)) }
            }
        case .resolve(let id): startResolution(id, accepted[id], in: &group)
        case .report(let event):
            report(event)
            notifyCompletion(event, in: &group)
        }
    }

    /// Has the host sign an account in again, or else its credentials renewed.
    ///
    /// - Returns: whether it worked; nil where the credentials stay those that were refused, until the host signs in.
    func renewLogin(of account: String?) async -> Bool? {
        if let signIn = configuration.signIn { return await signIn(account) }
        let refused = state.withLock { $0.refused }
        do {
            var fields = try await credentials.fields(for: account, isRefused: false)
            // Sync may have had them renewed since.
            if fields == refused { fields = try await credentials.fields(for: account, isRefused: true) }
            return fields == refused ? nil : true
        } catch {
            store.host.logger.warning("credentials were not renewed", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Resolves a conflict, unless that is under way.
    private func startResolution(_ id: UUIDBytes, _ answer: AcceptedResponse?, in group: inout DiscardingTaskGroup) {
        let isNew = state.withLock { state in
            guard let loop = state.loop, loop.resolutions[id] == nil else { return false }
            state.loop?.resolutions[id] = .response
            return true
        }
        guard isNew else { return }
        group.addTask {
            await self.resolveConflict(id, answer)
            self.post(.resolution(id, nil))
        }
    }

    /// Schedules a conflict's resolution again, after the wait of a retry: its decision could not be stored, and
    /// nothing else would start it.
    func retryResolution(of id: UUIDBytes) {
        let now = store.host.elapsed()
        state.withLock { state in
            let failures = state.loop?.machine.storageFailures ?? 0
            let wait = policy.retry.delay(afterFailures: max(failures, 1), random: 0)
            state.loop?.resolutions[id] = .time(now + wait)
        }
    }

    /// Stores what a resolution waits for. One that ends while a time is stored starts again at that time.
    func setResolutionWait(_ wait: ResolutionWait?, of id: UUIDBytes, in group: inout DiscardingTaskGroup) {
        let time = state.withLock { state -> Duration? in
            if wait == nil, case .time(let time)? = state.loop?.resolutions[id] { return time }
            state.loop?.resolutions[id] = wait
            return nil
        }
        guard let time else { return }
        group.addTask {
            do { try await self.store.host.sleepUntil(time) } catch { return }
            self.post(.resolution(id, .response))
            await self.resolveConflict(id, nil)
            self.post(.resolution(id, nil))
        }
    }

    /// Runs a task beside the loop that ends by itself; drains wait for it.
    func addTask(to group: inout DiscardingTaskGroup, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.loop?.tasks += 1 }
        group.addTask {
            await body()
            // Posted last, so that the loop handles everything that the body has posted before.
            self.post(.taskEnded)
        }
    }

    func report(_ event: OutboxEvent) {
        if case .signInExpired(let account) = event {
            state.withLock { state in
                // A sign-in since the step was made must not be undone.
                guard state.authentication == .signedIn(account), state.unhandledAuthenticationChanges == 0 else {
                    return
                }
                state.authentication = .expired(account)
                authenticationBroadcast.set(.expired(account))
            }
        }
        onEvent(event)
    }

    /// Reports accepted writes that sync does not return.
    func reportUnshown() {
        // A store that cannot be read reports its error to its readers.
        let writes = (try? store.read { view in try view.unshownWrites() }) ?? []
        if !writes.isEmpty {
            let metadata: Logger.Metadata = ["writes": "\(writes.count)"]
            store.host.logger.warning("accepted writes are not in what was synced a day later", metadata: metadata)
        }
        for write in writes { report(.unshown(write)) }
    }

    private func start(_ request: DeliveryTry, in group: inout DiscardingTaskGroup) {
        let sending = Task {
            let (answer, accepted) = await send(request)
            let ended = CompletedTry(key: request.key, result: answer, accepted: accepted)
            state.withLock { $0.loop?.complete(ended) }
        }
        state.withLock { $0.loop?.tryTasks[request.key] = sending }
        group.addTask {
            await withTaskCancellationHandler {
                await sending.value
            } onCancel: {
                sending.cancel()
            }
        }
    }
}
