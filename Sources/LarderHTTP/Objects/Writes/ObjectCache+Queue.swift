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

    /// The writes that the server took, in their order.
    public var sent: [UUIDBytes] = []
    /// The writes that it refused, which wait no longer.
    public var rejected: [Rejection] = []
    /// How many wait still.
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
    /// so that it is to be asked again (``WriteQueue/verdict(reading:to:)``): it waits on, and what is behind it. A refusal ends its
    /// write, takes its effect back, and is reported; so does the fifth HTML page under a 4xx of refusal but 403 (or such an answer that breaks off), counted once a
    /// minute, since that is a proxy's refusal and no captive portal's page. A second call while one is under way waits for that one.
    ///
    /// - Throws: what the storage in memory throws.
    @discardableResult
    public func sendQueued() async throws -> QueueReport {
        let task = state.withLock { state in
            if let sending = state.sending { return sending }
            let task = Task { try await self.passQueue() }
            state.sending = task
            return task
        }
        defer { state.withLock { if $0.sending == task { $0.sending = nil } } }
        return try await task.value
    }

    private func passQueue() async throws -> QueueReport {
        var report = QueueReport()
        // Read again for each: a write may be given up or moved to the queue while the one before it is under way.
        while try await giveUpWritesOfOthers(), let item = writes.first {
            let write = item.write
            writes.note(write.id, isInDoubt: true)
            let attempt = await send(write)
            // A write that was held back, or that the server turned away, is as it was.
            if !write.isInDoubt, case .waits(let error) = attempt, !error.mayHaveArrived {
                writes.note(write.id, isInDoubt: false)
            }
            if case .accepted = attempt {
                report.sent.append(write.id)
                // An answer that was asked for before may not have it.
                if !item.effects.isEmpty { order.noteWrite(of: .object(write.object)) }
                writes.accept(write.id)
            } else if let status = finalStatus(of: attempt, for: write.id) {
                host.logger.warning("a write that waited in memory was refused with status \(status)")
                report.rejected.append(QueueReport.Rejection(id: write.id, status: status))
                try await takeBack(write.id)
            } else {
                host.logger.info("a write waits on: \(attempt.reason)")
                report.waiting = writes.all.count
                return report
            }
        }
        return report
    }

    /// The status that refuses a waiting write for good; nil when it waits on.
    private func finalStatus(of attempt: WriteAttempt, for id: UUIDBytes) -> Int? {
        switch attempt {
        case .refused(let head): return head.status.code
        case .waits(.server(let head)):
            let code = head.status.code
            guard Self.mayBeRefused(head.status) else { return nil }
            return writes.countPage(id, at: host.now()) < MemoryWrites.mostPages ? nil : code
        case .accepted, .waits, .failed: return nil
        }
    }

    /// Whether a status under which a write waits is one of refusal, given by a page or cut short; under 403 most pages are a portal's.
    private static func mayBeRefused(_ status: HTTPResponse.Status) -> Bool {
        let isOther =
            [401, 403, 408, 409, 425, 429].contains(status.code) || OutcomeTable.ofConnection.contains(status.code)
        return status.kind == .clientError && !isOther
    }

    /// Gives up the writes in memory of other accounts than the one signed in, which must neither send nor see them.
    ///
    /// - Returns: true.
    @discardableResult
    func giveUpWritesOfOthers() async throws(HTTPCacheError) -> Bool {
        guard writes.first != nil else { return true }
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
    private func takeBack(_ id: UUIDBytes) async throws {
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
