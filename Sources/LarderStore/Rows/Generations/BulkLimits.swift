internal import LarderEngine

/// The limits on how long bulk work holds the writer. A batch ends at the first one it reaches; waiting writes then
/// run.
enum BulkLimits {
    /// The time inside the transaction; the sync of the batch is added to it.
    static let time = Duration.milliseconds(2)
    /// The time when another write is waiting.
    static let timeUnderContention = Duration.microseconds(500)
    /// The bytes of keys and values in one batch: as many as a slow disk syncs in a few milliseconds.
    static let bytes = 512 << 10
    /// The number of rows between two checks of the time.
    static let rowsPerCheck = 64
}

extension SharedState {
    /// Returns a closure to call for every row, which reports whether the time of a batch that begins now is up.
    func deadline() -> () -> Bool {
        let (environment, host) = (environment, host)
        let start = host.elapsed()
        var rows = 0
        return {
            rows += 1
            guard rows % BulkLimits.rowsPerCheck == 0 else { return false }
            let spent = host.elapsed() - start
            return spent >= BulkLimits.time
                || (spent >= BulkLimits.timeUnderContention && environment.hasWaitingWriters)
        }
    }
}

extension Store {
    /// Runs `body` in a commit of its own that lets waiting writes go first.
    ///
    /// A power cut may lose the last of these commits, never more and never consistency.
    func writeBulk<Result: Sendable>(_ body: @escaping @Sendable (inout Transaction) throws -> Result) async throws
        -> Result
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
