/// The error of a change.
struct ChangeFailure {
    let error: EngineError
    /// Whether it is that of a read of the pages before the change, so that nothing was written.
    let isOfRead: Bool
}

extension ChangeFailure? {
    /// Keeps the first error; that of a read makes way for that of a change.
    mutating func record(_ failure: ChangeFailure) {
        if let self, !self.isOfRead || failure.isOfRead { return }
        self = failure
    }
}
