package import LarderFormat

/// What one event leads to.
package struct DeliveryStep: Hashable, Sendable {
    /// To be stored in the transaction in which the machine has seen the table. When that fails nothing else is done: the machine is the
    /// one from before the step, and receives ``DeliveryEvent/storageFailed``.
    package var changes: [DeliveryChange] = []
    /// What is to be stored with them of the time that the server is left alone for.
    package var serverWait: ServerWaitChange?
    /// To be done then, in this order.
    package var effects: [DeliveryEffect] = []
}

/// A change of the time that the server is left alone for.
package enum ServerWaitChange: Hashable, Sendable {
    /// It asked for so long from now on.
    case note(Duration)
    /// Somebody wants it asked all the same.
    case end
}

/// A change of one entry.
package enum DeliveryChange: Hashable, Sendable {
    /// Its delivery goes on.
    case update(UUIDBytes, from: OutboxDelivery, to: OutboxDelivery)
    /// The server has it: it leaves, and its overlays are confirmed.
    case accept(UUIDBytes)
    /// The server refused it, or what it came after: it is rolled back and a dead letter, with the delivery that it had.
    case reject(UUIDBytes, OutboxDelivery, reason: RejectionReason)
    /// It is given up: it leaves, and its overlays with it.
    case remove(UUIDBytes, outcome: String)

    /// The entry that is changed.
    package var id: UUIDBytes {
        switch self {
        case .update(let id, _, _), .accept(let id), .reject(let id, _, _), .remove(let id, _): id
        }
    }
}

/// What is to be done after a step's changes are stored.
package enum DeliveryEffect: Hashable, Sendable {
    /// Send a request; answered by ``DeliveryEvent/answered(_:_:)``.
    case send(Flight)
    /// End the request with this key, which is still answered.
    case cancel(UUIDBytes)
    /// Set the timer, in place of the one set before, to go off at this time that never jumps; nil: not at all.
    case arm(Duration?)
    /// Sign in again; answered by ``DeliveryEvent/session(_:)`` or ``DeliveryEvent/signInFailed``.
    case signIn(String?)
    /// Ask the resolver about a conflict: it puts a successor in the entry's place, or is followed by
    /// ``DeliveryEvent/discard(_:outcome:)`` or ``DeliveryEvent/revive(_:)``.
    case resolve(UUIDBytes)
    /// Tell the host.
    case report(OutboxEvent)
}

/// One request.
package struct Flight: Hashable, Sendable {
    /// What it is answered by and sent under: the identity of its entry, or the key of a batch.
    package var key: UUIDBytes
    /// Its entries, in the order of their sequences; one unless it is a batch.
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
