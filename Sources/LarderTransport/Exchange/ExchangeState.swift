import HTTPTypes

/// What is known of one exchange at one moment; all changes of it are synchronous and without effects.
struct ExchangeState {
    /// How an exchange ended.
    enum End {
        case finished, failed(TransportError)
    }

    /// What the reader waits for.
    enum Wait {
        case head, chunk
    }

    /// What to do once the lock is released.
    struct Effects {
        var waiter: CheckedContinuation<Void, Never>?
        var cancel: (@Sendable () -> Void)?
        var resume: (@Sendable () -> Void)?
        /// Not to be called, but to be let go: what it holds may end with it, which is nothing to do under a lock.
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
    /// Counts the waits, so that a timer of an earlier one does nothing.
    var waitNumber = 0
    /// Ends the exchange below; there until the exchange has ended.
    var cancel: (@Sendable () -> Void)?
    /// Lets the producer go on; there while it is held back.
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

    /// The end as the producer sees it: chunks not yet read stay readable in front of it.
    mutating func finish(_ end: End) -> Effects {
        guard self.end == nil else { return Effects() }
        self.end = end
        return Effects(waiter: waiter.take(), resume: resume.take(), released: cancel.take())
    }

    /// The end as the reader wants it: at once, with nothing more to read.
    mutating func abandon(_ error: TransportError) -> Effects {
        chunks = []
        unreadBytes = 0
        var effects = Effects(waiter: waiter.take(), resume: resume.take())
        if end == nil { effects.cancel = cancel.take() }
        end = .failed(error)
        return effects
    }
}
