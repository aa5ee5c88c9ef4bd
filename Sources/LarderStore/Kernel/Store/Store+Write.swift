public import LarderEngine
internal import Synchronization

extension Store {
    /// Runs `body` in a write transaction and returns when its commit has the requested durability.
    ///
    /// Writes run one after the other; those that wait share one commit. A body that throws leaves the store as it was.
    /// A body may run more than once, in a new transaction each time: when another body of the same commit fails, or
    /// the map has to grow. A write that is cancelled before it begins never runs.
    ///
    /// - Throws: what `body` throws; `CancellationError`; `EngineError` when the store is closed, read-only, full or
    ///   failing; ``StoreError``.
    @discardableResult
    public func write<Result: Sendable>(
        durability: Durability = .full, _ body: @escaping @Sendable (inout Transaction) throws -> Result
    ) async throws -> Result {
        try checkWritable()
        let result = Mutex<Result?>(nil)
        let pending = PendingWrite(durability: durability) { transaction in
            let value = try body(&transaction)
            result.withLock { $0 = value }
        }
        try await shared.commits.run(pending, in: shared)
        guard let value = result.withLock({ $0 }) else { preconditionFailure("a write succeeded without running") }
        return value
    }

    /// Runs `body` in a write transaction of its own and waits for the commit, blocking the thread.
    ///
    /// Traps inside a read or write of the same store.
    ///
    /// - Throws: as ``write(durability:_:)``, without `CancellationError`.
    @discardableResult
    public func writeBlocking<Result>(
        durability: Durability = .full, _ body: (inout Transaction) throws -> Result
    ) throws -> Result {
        try checkWritable()
        // The changes are published on the writer thread, so that observers are notified of commits in order.
        return try environment.onWriterBlocking { try shared.transact(durability: durability, body) }
    }

    /// Whether writes wait for ``runNextWrite()``.
    package var hasWrites: Bool { environment.hasWrites }

    /// Runs the next write of a store that was opened stepped (``StoreOptions/isStepped``), or bulk work; returns false
    /// when none waits.
    @discardableResult
    package func runNextWrite() -> Bool { environment.runNextWrite() }

    /// Makes every commit of a store that was opened stepped fail with `error`, as on a full disk; nil ends that.
    package func failCommits(with error: EngineError?) { environment.failCommits(with: error) }

    /// Throws unless the store is open and may be changed.
    func checkWritable() throws {
        try checkOpen()
        if !isReadOnly { return }
        throw environment.options.access == .readOnly ? EngineError.readOnly : StoreError.readOnlyFormat
    }
}
