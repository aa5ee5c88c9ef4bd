package import LarderFormat

/// The changes and effects that one event leads to.
package struct DeliveryStep: Hashable, Sendable {
    /// The changes to store in the transaction in which the machine has seen the table. When that fails nothing else is
    /// done: the machine is the one from before the step. Unless a caller waits for the result, it receives
    /// ``DeliveryEvent/storageFailed``, and then the part of the event that is true even if nothing can be stored.
    package var changes: [DeliveryChange] = []
    /// The change of the server's wait to store with them.
    package var serverWait: ServerWaitChange?
    /// The effects to perform then, in this order.
    package var effects: [DeliveryEffect] = []

    /// Stores a wait that the server requested, unless a longer one is to be stored.
    mutating func requestServerWait(_ wait: Duration) {
        if case .begin(let other) = serverWait, other >= wait { return }
        serverWait = .begin(wait)
    }
}

/// A change of the time for which nothing is sent to the server.
package enum ServerWaitChange: Hashable, Sendable {
    /// The server requested a wait of this length from now on.
    case begin(Duration)
    /// The wait ends early, because the app retries an entry.
    case end
}

/// A change of one entry.
package enum DeliveryChange: Hashable, Sendable {
    /// Its delivery changes.
    case update(UUIDBytes, from: OutboxDelivery, to: OutboxDelivery)
    /// The server has it: it leaves the outbox, and its overlays are confirmed.
    case accept(UUIDBytes)
    /// The server refused it, or an entry that it came after: it is rolled back and a dead letter, with this delivery.
    case reject(UUIDBytes, OutboxDelivery, reason: RejectionReason)
    /// It is discarded: it leaves the outbox with its overlays.
    case remove(UUIDBytes, outcome: String)

    /// The entry that changes.
    package var id: UUIDBytes {
        switch self {
        case .update(let id, _, _), .accept(let id), .reject(let id, _, _), .remove(let id, _): id
        }
    }
}

/// An effect to perform after a step's changes are stored.
package enum DeliveryEffect: Hashable, Sendable {
    /// Send a request; its result is reported by ``DeliveryEvent/tryEnded(_:_:)``.
    case send(DeliveryTry)
    /// Cancel the request with this key; its result is still reported.
    case cancel(UUIDBytes)
    /// Set the timer to this time of the monotonic clock, in place of the one set before; nil: to none.
    case arm(Duration?)
    /// Sign in again; the result is reported by ``DeliveryEvent/session(_:)`` or ``DeliveryEvent/signInFailed``.
    case signIn(String?)
    /// Have the resolver decide a conflict: it puts a successor in the entry's place, or is followed by
    /// ``DeliveryEvent/discard(_:outcome:)`` or ``DeliveryEvent/revive(_:)``.
    case resolve(UUIDBytes)
    /// Report the event to the host.
    case report(OutboxEvent)
}

/// One request.
package struct DeliveryTry: Hashable, Sendable {
    /// The key that it is sent under and its result is reported by: the identity of its entry, or the key of a batch.
    package var key: UUIDBytes
    /// The entries that it sends, in the order of their sequences; one unless it is a batch.
    package var entries: [UUIDBytes]
    /// Whether it is a batch; one of a single entry may be sent again as the batch it was.
    package var isBatch: Bool
    /// A request.
    package init(key: UUIDBytes, entries: [UUIDBytes], isBatch: Bool) {
        self.key = key
        self.entries = entries
        self.isBatch = isBatch
    }
}
