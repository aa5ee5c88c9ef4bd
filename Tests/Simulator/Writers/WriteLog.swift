// WriteLog: what is known about the writes of a history.

internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting

/// What is known of the writes of a history.
struct WriteLog {
    /// Who writes where there is no session, and who else may sign in where there is one.
    static let accounts = ["ann", "ben"]
    static let server = "https://model.test"

    /// How a write ended, as the store said.
    enum End: Hashable {
        case accepted, rejected
        /// A conflict was resolved: given up for what the server holds, or sent again by a successor.
        case resolved
    }

    /// What is being sent, and how far the delivery of each entry was at the last look.
    var underWay: Set<UUIDBytes> = []
    var deliveries: [UUIDBytes: OutboxDelivery] = [:]
    /// The entries at the last look, in their order.
    var stored: [OutboxEntry] = []
    /// Whether nobody was signed in at the last look. A commit may both begin to send and sign out, in this order.
    var isSignedOut = false
    /// Whether the process is to die before it does what it has stored.
    var isDeathDue = false
    /// The random numbers of the writers alone, so that a history without writers stays as it is.
    var random: SeededGenerator
    /// All writes that were acknowledged, in their order, and how they ended.
    var writes: [UUIDBytes: SimulatedWrite] = [:]
    var order: [UUIDBytes] = []
    var ends: [UUIDBytes: End] = [:]
    /// What took the place of a write in conflict.
    var successors: [UUIDBytes: UUIDBytes] = [:]
    /// What writes are once an edit that is under way is stored.
    var edits: [UUIDBytes: SimulatedWrite] = [:]
    /// What the journal says of each.
    var outcomes: [UUIDBytes: OutboxOutcome] = [:]
    var tries: [String: Int] = [:]
    /// The change up to which a reader saw each row, by an accepted write of its own.
    var seen: [RowKey: Int64] = [:]
    /// The timelines of the resources at the last look.
    var timelines: [ResourceKey: Int64] = [:]
    var nextWrite = 1

    init(_ scenario: Scenario) { random = SeededGenerator(seed: scenario.seed ^ 0x6465_7369_7265) }

    mutating func forgetProcess() {
        underWay = []
        edits = [:]
        isDeathDue = false
    }
}
