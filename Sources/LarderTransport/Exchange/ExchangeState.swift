import HTTPTypes

/// The state of one exchange; its changes are synchronous and without effects.
struct ExchangeState {
    /// The end of an exchange.
    enum End {
        case finished, failed(TransportError)
    }

    /// The condition that the reader waits for.
    enum Wait {
        case head, chunk
    }

    /// The calls to make after the lock is released.
    struct Effects {
        var waiter: CheckedContinuation<Void, Never>?
        var cancel: (@Sendable () -> Void)?
        var resume: (@Sendable () -> Void)?
        /// A closure to release, not to call: releasing may run foreign code, which must not happen under a lock.
        var released: (@Sendable () -> Void)?

        func perform() {
            cancel?()
            resume?()
            waiter?.resume()
        }
    }

    var isConnected = false
    var head: HTTPResponse?
    var isDecoded = false
    var end: End?
    var waiter: CheckedContinuation<Void, Never>?
    /// The number of waits, so that a timer of an earlier one does nothing.
    var waitNumber = 0
    /// Cancels the underlying exchange; set until the exchange has ended.
    var cancel: (@Sendable () -> Void)?
    /// Resumes the producer; set while it is paused.
    var resume: (@Sendable () -> Void)?
    private(set) var unreadBytes = 0
    private var chunks: ArraySlice<[UInt8]> = []

    func isOver(_ wait: Wait) -> Bool {
        switch wait {
        case .head: head != nil || end != nil
        case .chunk: !chunks.isEmpty || end != nil
        }
    }

    mutating func append(_ chunk: [UInt8]) -> Effects {
        unreadBytes += chunk.count
        chunks.append(chunk)
        return Effects(waiter: waiter.take())
    }

    mutating func popFirst() -> [UInt8]? {
        guard let chunk = chunks.popFirst() else { return nil }
        unreadBytes -= chunk.count
        return chunk
    }

    /// Ends the exchange for the producer; chunks not yet read stay readable.
    mutating func finish(_ end: End) -> Effects {
        guard self.end == nil else { return Effects() }
        self.end = end
        return Effects(waiter: waiter.take(), resume: resume.take(), released: cancel.take())
    }

    /// Ends the exchange for the reader at once and discards unread chunks.
    mutating func abandon(_ error: TransportError) -> Effects {
        chunks = []
        unreadBytes = 0
        var effects = Effects(waiter: waiter.take(), resume: resume.take())
        if end == nil { effects.cancel = cancel.take() }
        end = .failed(error)
        return effects
    }
}
