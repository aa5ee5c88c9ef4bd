package import LarderFormat
package import LarderStore
internal import LarderTransport

/// The part of an entry that the machine knows: all but its body and header fields.
package struct LaneEntry: Hashable, Sendable {
    /// Its identity and idempotency key.
    package let id: UUIDBytes
    /// The queue that it is in.
    package let lane: String
    /// Its position in the order of all lanes.
    package let sequence: Int64
    /// The account it was made under.
    package let account: String?
    /// The entries that hold it while parked: earlier ones of its lane with its entity, or with none if it has none.
    package let scope: Scope
    /// The entries that have to be accepted first.
    package var after: [UUIDBytes]
    /// The entry that it replaced.
    package let predecessor: UUIDBytes?
    /// The number of responses that may request another try.
    package let mostAttempts: Int
    /// The method, in upper case.
    package let method: String
    /// Whether it may be sent in a batch.
    package let isBatchable: Bool
    /// When it was enqueued, in milliseconds since 1970-01-01 UTC.
    package let createdAt: Int64
    /// The state of its delivery, as it is stored.
    package var delivery: OutboxDelivery
    /// When the next try is due by the monotonic clock: in state `waiting`, and in state `failed` where it failed
    /// because of the server.
    package internal(set) var due: Duration?
    /// The end of the wait that the server requested for it.
    package internal(set) var notBefore: Duration?
    /// The first send that the server may know of, by the monotonic clock; nil where its age is unknown.
    package internal(set) var firstTried: Duration?

    /// The scope of entries that must not overtake each other even when one is parked.
    package enum Scope: Hashable, Sendable {
        /// The same entity.
        case entity(String)
        /// No entity: the same lane.
        case lane
    }

    /// An entry as it is in the outbox; its body and header fields are not read.
    package init(_ entry: OutboxEntry) {
        id = entry.id
        lane = entry.lane
        sequence = entry.sequence
        account = entry.draft.account
        scope = entry.draft.entity.map { .entity($0) } ?? .lane
        after = entry.draft.after
        predecessor = entry.draft.predecessor
        mostAttempts = entry.draft.mostAttempts
        method = entry.method.uppercased()
        isBatchable = entry.fitsBatch
        createdAt = entry.createdAt
        delivery = entry.delivery
    }

    /// An entry of these parts, without a record of it.
    package init(
        id: UUIDBytes, lane: String, sequence: Int64, account: String? = nil, entity: String? = nil,
        after: [UUIDBytes] = [], mostAttempts: Int = 5, method: String = "POST", isBatchable: Bool = true,
        createdAt: Int64 = 0, delivery: OutboxDelivery = OutboxDelivery()
    ) {
        self.id = id
        self.lane = lane
        self.sequence = sequence
        self.account = account
        scope = entity.map { .entity($0) } ?? .lane
        self.after = after
        predecessor = nil
        self.mostAttempts = mostAttempts
        self.method = method
        self.isBatchable = isBatchable
        self.createdAt = createdAt
        self.delivery = delivery
    }

    /// Whether entries behind it wait for it: it is to be sent, or being sent.
    var isLive: Bool {
        switch delivery.state {
        case .pending, .sending, .waiting: true
        case .failed, .unresolved, .rejected, .conflicted: false
        }
    }

    /// Whether its own state allows it to be sent.
    func isDue(at reading: ClockReading) -> Bool {
        switch delivery.state {
        case .pending: true
        case .waiting: due.map { $0 <= reading.elapsed } ?? true
        case .sending, .failed, .unresolved, .rejected, .conflicted: false
        }
    }
}
