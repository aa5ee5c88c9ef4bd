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
    /// ``WriteQueue``, which sends them by itself. Stops at the first write that the server does not answer, or answers with
    /// 3xx, 401, 403, 408, 429, 5xx or an HTML page: it waits on, and what is behind it. Any other refusal ends its write, takes its effect
    /// back, and is told. A second call while one is under way waits for that one.
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
        let waiting = writes.all
        for (place, item) in waiting.enumerated() {
            let write = item.write
            do throws(HTTPCacheError) {
                _ = try await send(write)
                report.sent.append(write.id)
                // An answer that was asked for before may not have it.
                if !item.effects.isEmpty { order.noteWrite(of: .object(write.object)) }
                writes.accept(write.id)
            } catch {
                guard !error.isForLater, case .server(let head) = error, Self.isFinal(head.status) else {
                    host.logger.info("a write waits on: \(error)")
                    report.waiting = waiting.count - place
                    return report
                }
                report.rejected.append(QueueReport.Rejection(id: write.id, status: head.status.code))
                try await memory.objects.apply(writes.reject(write.id))
            }
        }
        return report
    }

    /// Whether the same write will be refused again.
    private static func isFinal(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 401, 403, 408, 429: false
        default: status.kind != .serverError
        }
    }
}
