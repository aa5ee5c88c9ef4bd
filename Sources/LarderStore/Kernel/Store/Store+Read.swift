internal import LarderEngine

extension Store {
    /// Lends a view of the last commit to `body`.
    ///
    /// Runs on the caller's thread and waits only when the map grows. A read inside a read shares the outer view. Keep
    /// it short: a view pins the pages that later commits free.
    ///
    /// - Throws: what `body` throws; `EngineError` when the store is closed, was opened before a fork, or has no
    ///   reader slot left.
    public func read<Result: ~Copyable>(_ body: (borrowing ReadView) throws -> Result) throws -> Result {
        try checkOpen()
        return try environment.read { transaction in try body(ReadView(transaction, of: self)) }
    }
}
