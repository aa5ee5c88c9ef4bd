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
    struct Weather: OptionSet, Sendable {
        let rawValue: Int
        static let network = Weather(rawValue: 1 << 0)
        static let session = Weather(rawValue: 1 << 1)
        static let crash = Weather(rawValue: 1 << 2)
        static let storage = Weather(rawValue: 1 << 3)
        static let people = Weather(rawValue: 1 << 4)
        static let foreground = Weather(rawValue: 1 << 5)
        static let retry = Weather(rawValue: 1 << 6)
        static let refusal = Weather(rawValue: 1 << 7)
        static let conflict = Weather(rawValue: 1 << 8)
        static let credentials = Weather(rawValue: 1 << 9)
        static let lost = Weather(rawValue: 1 << 10)
        static let notSent = Weather(rawValue: 1 << 11)
        static let gateway = Weather(rawValue: 1 << 12)
        /// What was given up may arrive at any later time, or never.
        static let late = Weather(rawValue: 1 << 13)
        /// The server asks for time.
        static let patience = Weather(rawValue: 1 << 14)
        /// What is to be sent cannot be read, until somebody has mended it.
        static let unsendable = Weather(rawValue: 1 << 15)
        /// The clock that may jump goes ahead, and back again.
        static let clock = Weather(rawValue: 1 << 16)
    }

    let entries: [Entry]
    let weather: Weather
    let policy: OutboxPolicy
    let accounts: [String?]
    /// Failures in a row that differ in the wait they lead to.
    let failuresThatMatter: Int
    /// Seconds for which the server remembers a key, where forgetting is looked at.
    let memory: Int64?

    init(
        _ entries: [Entry], _ weather: Weather, concurrent: Int = 2, attempts: Int = 2, isPatient: Bool = false,
        memory: Int64? = nil, batch: Int? = nil
    ) {
        self.entries = entries
        self.weather = weather
        self.memory = memory
        accounts = Set(entries.map(\.account)).sorted { ($0 ?? "") < ($1 ?? "") }
        failuresThatMatter = isPatient ? 1 : 0
        var policy = OutboxPolicy()
        policy.retry = RetryPolicy(first: .seconds(1), limit: .seconds(isPatient ? 2 : 1), jitter: 0)
        policy.revival = RetryPolicy(first: .seconds(4), limit: .seconds(4), jitter: 0)
        policy.mostAttempts = attempts
        policy.concurrentSends = concurrent
        policy.resolvesConflicts = weather.contains(.conflict)
        if let memory { policy.keyMemory = .seconds(memory) }
        if let batch { policy.batch = BatchPolicy(mostEntries: batch) }
        self.policy = policy
    }

    static func id(_ place: Int) -> UUIDBytes { UUIDBytes(high: 0, low: UInt64(place) + 1) }

    static func place(_ id: UUIDBytes) -> Int { Int(id.low) - 1 }

    /// The sequence of an entry: that of the one in whose place it comes.
    func sequence(_ place: Int) -> Int64 { Int64((entries[place].successorOf ?? place) + 1) }
}
