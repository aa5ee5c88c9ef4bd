// LoadedServer: a model of a server of limited capacity, which is down for a time.

internal import LarderTesting

/// A server that performs one request after another, at a limited rate, and queues a limited number of them.
package struct LoadedServer: Sendable {
    /// The waits that an overloaded server requests.
    package enum Waits: Sendable {
        /// None: its responses have no `Retry-After`.
        case none
        /// The same number of seconds in every response.
        case fixed(Int)
        /// A number of seconds that the server draws for each response.
        case drawn(ClosedRange<Int>)
    }

    /// The requests that it performs in a second.
    package let capacity: Double
    /// The requests that wait for their turn; one more is answered with 503.
    package let queueLength: Int
    /// The waits that it requests while it is overloaded.
    package let waits: Waits
    /// The time in which connections are refused, in nanoseconds.
    private let outage: Range<Int64>
    /// The time at which everything in the queue is done, in nanoseconds.
    private var freeAt: Int64 = 0

    /// A server that queues two seconds of work, so that no client gives up waiting for a response in the queue; at least
    /// 20 requests, so that a slow one refuses none that came a little early.
    package init(capacity: Double, waits: Waits = .none, outage: Range<Duration> = .zero..<(.zero)) {
        self.capacity = capacity
        self.waits = waits
        queueLength = max(20, Int(capacity * 2))
        self.outage = outage.lowerBound.wholeNanoseconds..<outage.upperBound.wholeNanoseconds
    }

    /// Receives a request, and returns the response with the time at which it is sent.
    mutating func receive(at time: Int64, using generator: inout SeededGenerator) -> (ServerReply, at: Int64) {
        if outage.contains(time) { return (.refused, time) }
        let nanoseconds = Int64(1_000_000_000 / capacity)
        let begin = max(freeAt, time)
        guard (begin - time) / nanoseconds < Int64(queueLength) else {
            return (.overloaded(retryAfter: drawWait(&generator)), time)
        }
        let end = begin + nanoseconds
        if time < outage.lowerBound, end > outage.lowerBound { return (.lost, outage.lowerBound) }
        freeAt = end
        return (.served, end)
    }

    private func drawWait(_ generator: inout SeededGenerator) -> Int? {
        switch waits {
        case .none: nil
        case .fixed(let seconds): seconds
        case .drawn(let range): range.lowerBound + generator.below(range.count)
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded up: a timer never fires before its time.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    }
}
