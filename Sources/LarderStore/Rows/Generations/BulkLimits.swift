internal import LarderEngine

/// How long bulk work may hold the writer. A batch ends at whichever comes first, and then others go first.
enum BulkLimits {
    /// Time inside the transaction; the sync of the batch comes on top.
    static let time = Duration.milliseconds(2)
    /// Time when another write is waiting.
    static let timeWhenAwaited = Duration.microseconds(500)
    /// Bytes of keys and values in one batch: what a slow disk syncs in a few milliseconds.
    static let bytes = 512 << 10
    /// Rows between two looks at the time.
    static let rowsPerLook = 64
}

extension SharedState {
    /// Tells, asked for every row, whether the time of a batch of bulk work that begins now is up.
    func deadline() -> () -> Bool {
        let (environment, host) = (environment, host)
        let start = host.elapsed()
        var rows = 0
        return {
            rows += 1
            guard rows % BulkLimits.rowsPerLook == 0 else { return false }
            let spent = host.elapsed() - start
            return spent >= BulkLimits.time
                || (spent >= BulkLimits.timeWhenAwaited && environment.hasWaitingWriters)
        }
    }
}

extension Store {
    /// Runs `body` in a commit of its own that lets waiting writes go first.
    ///
    /// A power cut may lose the last of these commits, never more and never consistency.
    func bulk<Result: Sendable>(_ body: @escaping @Sendable (inout Transaction) throws -> Result) async throws -> Result
    {
        try checkWritable()
        return try await withCheckedThrowingContinuation { continuation in
            do throws(EngineError) {
                try environment.onWriter(isBulk: true) {
                    let outcome = Swift.Result {
                        try self.shared.transact(durability: .relaxed, isBulk: true, body)
                    }
                    continuation.resume(with: outcome)
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
