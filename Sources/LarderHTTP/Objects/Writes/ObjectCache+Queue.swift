internal import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// What a pass through the writes that wait came to.
public struct QueueReport: Hashable, Sendable {
    /// A write the server refused for good.
    public struct Rejection: Hashable, Sendable {
        /// Its identity.
        public var id: UUIDBytes
        /// The status it was refused with.
        public var status: Int
    }

    /// A write that the server did not take as often as is allowed, or that the service has no request for.
    public struct Failure: Hashable, Sendable {
        /// Its identity.
        public var id: UUIDBytes
        /// The status that it was answered with last; nil where it cannot be sent.
        public var status: Int?
    }

    /// The writes that the server took, in their order.
    public var sent: [UUIDBytes] = []
    /// The writes that it refused, which wait no longer.
    public var rejected: [Rejection] = []
    /// The writes that failed: they wait on, and are still shown.
    public var failed: [Failure] = []
    /// How many wait still, those that failed among them.
    public var waiting = 0

    /// A report of nothing.
    public init() {}
}

extension ObjectCache {
    /// Sends the writes that wait in memory, oldest first, each under the identity it was first tried with.
    ///
    /// Call it when there is a connection again; saving does so by itself. Writes of persistent classes wait in the
    /// ``WriteQueue``, which sends them by itself. Those of another account than the one signed in are given up; while nobody is,
    /// they wait. Stops at the first write that the server does not answer, or answers
    /// so that it is to be asked again (``WriteQueue/verdict(reading:to:)``): it waits on, and what is behind it. A 401 has the login
    /// renewed (``WriteQueue/noteUnauthorized(_:since:)``). A refusal ends its write, takes its effect back, and is reported.
    ///
    /// After as many answers that ask for another try as ``WriteQueue/schedule`` allows a write has failed; those count that come when
    /// it is due. It stays, is shown and reported, and holds only what is about the same object. It is sent again by this call, by a
    /// save when its time for revival has come, and by a save after the server took another write. A second call while one is under way
    /// waits for that one.
    ///
    /// - Throws: what the storage in memory throws.
    @discardableResult
    public func sendQueued() async throws -> QueueReport { try await sendQueued(revivesAll: true) }

    /// As ``sendQueued()``.
    ///
    /// - Parameter revivesAll: whether all that failed is sent again, or only what is due.
    @discardableResult
    func sendQueued(revivesAll: Bool) async throws -> QueueReport {
        let task = state.withLock { state in
            if let sending = state.sending { return sending }
            let task = Task { try await self.passQueue(revivesAll: revivesAll) }
            state.sending = task
            return task
        }
        defer { state.withLock { if $0.sending == task { $0.sending = nil } } }
        return try await task.value
    }

    private func passQueue(revivesAll: Bool) async throws -> QueueReport {
        var report = QueueReport()
        var tried: Set<UUIDBytes> = []
        // Read again for each: a write may be given up or moved to the queue while the one before it is under way.
        while try await giveUpWritesOfOthers(),
            let item = writes.next(at: host.elapsed(), revivesAll: revivesAll, but: tried)
        {
            let write = item.write
            tried.insert(write.id)
            let attempt = await sendNoting(write, item.kind)
            if case .accepted(_, let made) = attempt {
                report.sent.append(write.id)
                // An answer that was asked for before may not have it.
                if !item.effects.isEmpty { order.noteWrite(of: .object(write.object)) }
                if case .create(let temporary) = item.kind {
                    try await give(temporary, made, by: write.id)
                } else {
                    try await accept(write.id, made)
                }
                writes.noteAcceptance(schedule, at: host.elapsed())
            } else if case .refused(let head) = attempt {
                let status = head.status.code
                host.logger.warning("a write that waited in memory was refused with status \(status)")
                var refused = [write.id]
                // What waits about an object that is not made has nothing to be about.
                if case .create(let name) = item.kind {
                    refused = writes.all.filter { $0.write.object == name }.map(\.write.id)
                }
                report.rejected += refused.map { QueueReport.Rejection(id: $0, status: status) }
                for id in refused.reversed() { try await takeBack(id) }
            } else if let failure = failure(of: write.id, attempt) {
                host.logger.warning("a write that waits in memory has failed: \(attempt.reason)")
                report.failed.append(failure)
            } else {
                host.logger.info("a write waits on: \(attempt.reason)")
                break
            }
        }
        report.waiting = writes.all.count
        return report
    }

    /// Ends a write that the server has, with what it made of the object.
    private func accept(_ id: UUIDBytes, _ made: StoredObject?) async throws {
        guard let made else { return writes.accept(id) }
        try await memory.objects.apply(deciding: { [writes] in
            writes.accept(id)
            // Beneath what waits still.
            return [writes.rebase(on: made) ?? .put(made)]
        })
    }

    /// Sends a write that waits, noted as one that the server may have.
    private func sendNoting(_ write: QueuedWrite, _ kind: ObjectWrite) async -> WriteAttempt {
        writes.note(write.id, isInDoubt: true)
        let attempt = await send(write, kind)
        // A write that was held back, or that the server turned away, is as it was.
        if !write.isInDoubt, case .waits(let error, _) = attempt, !error.mayHaveArrived {
            writes.note(write.id, isInDoubt: false)
        }
        return attempt
    }

    /// Counts an attempt; nil when the write waits on.
    private func failure(of id: UUIDBytes, _ attempt: WriteAttempt) -> QueueReport.Failure? {
        switch attempt {
        case .waits(_, let answer?):
            let isOver = writes.countAttempt(id, by: schedule, asked: answer.after, at: host.elapsed())
            return isOver ? QueueReport.Failure(id: id, status: answer.status) : nil
        case .failed(.invalidRequest):
            writes.fail(id)
            return QueueReport.Failure(id: id, status: nil)
        case .accepted, .waits, .refused, .failed: return nil
        }
    }

    /// Gives up the writes in memory of other accounts than the one signed in, which must neither send nor see them.
    ///
    /// - Returns: true.
    @discardableResult
    func giveUpWritesOfOthers() async throws(HTTPCacheError) -> Bool {
        guard !writes.all.isEmpty else { return true }
        let gate = try gate()
        if gate == .signedOut { return true }
        let others = writes.all.filter { !gate.admits($0.write.account) }
        do {
            for item in others.reversed() { try await takeBack(item.write.id) }
        } catch {
            throw .reading(error)
        }
        if !others.isEmpty {
            host.logger.warning("\(others.count) writes in memory of another account were given up")
        }
        return true
    }

    /// Removes a refused write and its effect, in one step: an answer in between would be undone with it.
    func takeBack(_ id: UUIDBytes) async throws {
        let undo = Mutex<[ObjectChange]?>(nil)
        try await memory.objects.apply(deciding: { [writes] in
            // Decided once, should the storage ask again.
            undo.withLock { known in
                let changes = known ?? writes.reject(id)
                known = changes
                return changes
            }
        })
    }
}
