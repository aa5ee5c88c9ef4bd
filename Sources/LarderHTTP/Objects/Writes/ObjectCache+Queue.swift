internal import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

/// The result of a pass through the waiting writes.
public struct QueueReport: Hashable, Sendable {
    /// A write that the server refused for good.
    public struct Rejection: Hashable, Sendable {
        /// Its identity.
        public var id: UUIDBytes
        /// The status of the refusal.
        public var status: Int
    }

    /// A write that used up its attempts, or that the service has no request for.
    public struct Failure: Hashable, Sendable {
        /// Its identity.
        public var id: UUIDBytes
        /// The status of the last response; nil where the write cannot be sent.
        public var status: Int?
    }

    /// The writes that the server accepted, in their order.
    public var sent: [UUIDBytes] = []
    /// The writes that the server refused, which no longer wait.
    public var rejected: [Rejection] = []
    /// The writes that failed. They still wait, and are still shown.
    public var failed: [Failure] = []
    /// The number of writes that still wait, including those that failed.
    public var waiting = 0

    /// Creates an empty report.
    public init() {}
}

extension ObjectCache {
    /// Sends the writes that wait in memory, oldest first, each under the identity it was first tried with.
    ///
    /// Call it when there is a connection again; a save also sends the waiting writes. Writes of persistent classes
    /// wait in the ``WriteQueue``, which sends them itself.
    ///
    /// Writes of an account other than the one signed in are discarded. While no account is signed in, they wait. The
    /// pass stops at the first write that gets no response, or one that requests another try
    /// (``WriteQueue/verdict(reading:to:)``): that write and the ones behind it still wait. A 401 starts the renewal of
    /// the login (``WriteQueue/reportUnauthorized(_:since:)``). A refused write is removed, its effect is undone, and the
    /// refusal is reported.
    ///
    /// A write has failed after as many responses requesting another try as ``WriteQueue/schedule`` allows; only those
    /// count that come when a try is due. A failed write stays, is shown and reported, and holds back only writes about
    /// the same object. It is sent again by this call, by a save when its time for revival has come, and by a save
    /// after the server accepted another write.
    ///
    /// A second call while one is under way waits for that one.
    ///
    /// - Throws: ``HTTPCacheError/unreadable(_:)`` when the authentication state cannot be read; errors of the storage
    ///   in memory.
    @discardableResult
    public func sendQueued() async throws -> QueueReport { try await sendQueued(revivesAll: true) }

    /// Sends the waiting writes as ``sendQueued()``.
    ///
    /// - Parameter revivesAll: whether every failed write is sent again, or only those that are due.
    @discardableResult
    func sendQueued(revivesAll: Bool) async throws -> QueueReport {
        let task = state.withLock { state in
            if let sending = state.sending { return sending }
            let task = Task { try await self.runQueuePass(revivesAll: revivesAll) }
            state.sending = task
            return task
        }
        defer { state.withLock { if $0.sending == task { $0.sending = nil } } }
        return try await task.value
    }

    private func runQueuePass(revivesAll: Bool) async throws -> QueueReport {
        var report = QueueReport()
        var tried: Set<UUIDBytes> = []
        // The next write is read again each time, because it may be discarded or moved to the queue while the one
        // before it is under way.
        while try await discardWritesOfOtherAccounts(),
            let item = writes.next(at: host.elapsed(), revivesAll: revivesAll, excluding: tried)
        {
            let write = item.write
            tried.insert(write.id)
            let attempt = await sendMarkingInDoubt(write, item.kind)
            if case .accepted(_, let made) = attempt {
                report.sent.append(write.id)
                // A response to an earlier request may not contain the write.
                if !item.effects.isEmpty { order.recordWrite(of: .object(write.object)) }
                if case .create(let temporary) = item.kind {
                    try await replaceTemporary(temporary, made, by: write.id)
                } else {
                    try await complete(write.id, made)
                }
                writes.recordAcceptance(schedule, at: host.elapsed())
            } else if case .refused(let head) = attempt {
                let status = head.status.code
                host.logger.warning("a write that waited in memory was refused with status \(status)")
                var refused = [write.id]
                // Writes about an object that was not created cannot be sent.
                if case .create(let name) = item.kind {
                    refused = writes.all.filter { $0.write.object == name }.map(\.write.id)
                }
                report.rejected += refused.map { QueueReport.Rejection(id: $0, status: status) }
                for id in refused.reversed() { try await revert(id) }
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

    /// Removes a write that the server has, and stores the object that the server made of it.
    private func complete(_ id: UUIDBytes, _ made: StoredObject?) async throws {
        guard let made else { return writes.remove(id) }
        try await memory.objects.apply(deciding: { [writes] in
            writes.remove(id)
            // The server's version is stored beneath the writes that still wait.
            return [writes.rebase(on: made) ?? .put(made)]
        })
    }

    /// Sends a waiting write, recorded as one that the server may have.
    private func sendMarkingInDoubt(_ write: QueuedWrite, _ kind: ObjectWrite) async -> WriteTry {
        writes.mark(write.id, isInDoubt: true)
        let attempt = await send(write, kind)
        // A write that was not sent, or that the server turned away, keeps its earlier state.
        if !write.isInDoubt, case .deferred(let error, _) = attempt, !error.mayHaveArrived {
            writes.mark(write.id, isInDoubt: false)
        }
        return attempt
    }

    /// Counts an attempt, and returns the failure; nil when the write still waits.
    private func failure(of id: UUIDBytes, _ attempt: WriteTry) -> QueueReport.Failure? {
        switch attempt {
        case .deferred(_, let answer?):
            let isOver = writes.countAttempt(id, by: schedule, requested: answer.after, at: host.elapsed())
            return isOver ? QueueReport.Failure(id: id, status: answer.status) : nil
        case .failed(.invalidRequest):
            writes.fail(id)
            return QueueReport.Failure(id: id, status: nil)
        case .accepted, .deferred, .refused, .failed: return nil
        }
    }

    /// Discards the writes in memory of accounts other than the one signed in, which must neither send nor see them.
    /// While no account is signed in, nothing is discarded.
    ///
    /// - Returns: true.
    /// - Throws: ``HTTPCacheError/unreadable(_:)`` when the authentication state or the storage in memory cannot be
    ///   read.
    @discardableResult
    func discardWritesOfOtherAccounts() async throws(HTTPCacheError) -> Bool {
        guard !writes.all.isEmpty else { return true }
        let authentication = try authenticationState()
        if authentication == .signedOut { return true }
        let others = writes.all.filter { !authentication.allows($0.write.account) }
        do {
            for item in others.reversed() { try await revert(item.write.id) }
        } catch {
            throw .wrapping(error)
        }
        if !others.isEmpty {
            host.logger.warning("\(others.count) writes in memory of another account were discarded")
        }
        return true
    }

    /// Removes a refused write and undoes its effect, in one step: a response stored in between would be undone with
    /// it.
    func revert(_ id: UUIDBytes) async throws {
        let undo = Mutex<[ObjectChange]?>(nil)
        try await memory.objects.apply(deciding: { [writes] in
            // The changes are decided once, because the storage may call this closure again.
            undo.withLock { known in
                let changes = known ?? writes.removeRejected(id)
                known = changes
                return changes
            }
        })
    }
}
