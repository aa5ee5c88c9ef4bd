// Configuration: a small world to be explored completely: its entries and possible events.

import LarderFormat
import LarderOutbox
import LarderTransport

/// A small world to be explored whole: its entries, and what may happen in it. A class, since each of its states refers to it.
final class Configuration: Sendable {
    /// One entry, and where it stands; its place is its number.
    struct Entry: Sendable {
        var lane = "a"
        var entity: String?
        var after: [Int] = []
        var account: String?
        /// The entry in whose place it comes; it is enqueued by no one.
        var successorOf: Int?
    }

    /// What may happen.
    struct EventOptions: OptionSet, Sendable {
        let rawValue: Int
        static let network = EventOptions(rawValue: 1 << 0)
        static let session = EventOptions(rawValue: 1 << 1)
        static let crash = EventOptions(rawValue: 1 << 2)
        static let storage = EventOptions(rawValue: 1 << 3)
        static let userActions = EventOptions(rawValue: 1 << 4)
        static let foreground = EventOptions(rawValue: 1 << 5)
        static let retry = EventOptions(rawValue: 1 << 6)
        static let refusal = EventOptions(rawValue: 1 << 7)
        static let conflict = EventOptions(rawValue: 1 << 8)
        static let credentials = EventOptions(rawValue: 1 << 9)
        static let lost = EventOptions(rawValue: 1 << 10)
        static let notSent = EventOptions(rawValue: 1 << 11)
        static let gateway = EventOptions(rawValue: 1 << 12)
        /// What was given up may arrive at any later time, or never.
        static let late = EventOptions(rawValue: 1 << 13)
        /// The server asks for time.
        static let requestedWaits = EventOptions(rawValue: 1 << 14)
        /// What is to be sent cannot be read, until somebody has mended it.
        static let unsendable = EventOptions(rawValue: 1 << 15)
        /// The clock that may jump goes ahead, and back again.
        static let clock = EventOptions(rawValue: 1 << 16)
    }

    let entries: [Entry]
    let eventOptions: EventOptions
    let policy: OutboxPolicy
    let accounts: [String?]
    /// Failures in a row that differ in the wait they lead to.
    let failuresThatMatter: Int
    /// Seconds for which the server remembers a key, where forgetting is looked at.
    let memory: Int64?

    init(
        _ entries: [Entry], _ options: EventOptions, concurrent: Int = 2, attempts: Int = 2, isPatient: Bool = false,
        memory: Int64? = nil, batch: Int? = nil
    ) {
        self.entries = entries
        self.eventOptions = options
        self.memory = memory
        accounts = Set(entries.map(\.account)).sorted { ($0 ?? "") < ($1 ?? "") }
        failuresThatMatter = isPatient ? 1 : 0
        var policy = OutboxPolicy()
        policy.retry = RetryPolicy(first: .seconds(1), limit: .seconds(isPatient ? 2 : 1), jitter: 0)
        policy.revival = RetryPolicy(first: .seconds(4), limit: .seconds(4), jitter: 0)
        policy.mostAttempts = attempts
        policy.concurrentSends = concurrent
        policy.resolvesConflicts = options.contains(.conflict)
        if let memory { policy.keyMemory = .seconds(memory) }
        if let batch { policy.batch = BatchPolicy(mostEntries: batch) }
        self.policy = policy
    }

    static func id(_ place: Int) -> UUIDBytes { UUIDBytes(high: 0, low: UInt64(place) + 1) }

    static func place(_ id: UUIDBytes) -> Int { Int(id.low) - 1 }

    /// The sequence of an entry: that of the one in whose place it comes.
    func sequence(_ place: Int) -> Int64 { Int64((entries[place].successorOf ?? place) + 1) }
}
