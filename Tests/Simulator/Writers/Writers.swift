internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting

/// What writes in a history: the shipped machine of the outbox, and all that was ever written.
struct Writers {
    static let account = "ann"
    static let server = "https://model.test"

    /// How a write ended, as the store said.
    enum End: Hashable {
        case accepted, rejected
    }

    /// Lives with the process.
    var machine: DeliveryMachine?
    /// Raised when the process dies: the answers to what is under way are nobody's any more.
    var epoch = 0
    /// The version of the table that the machine has seen.
    var version: OutboxVersion?
    /// What could not be stored, and is taken again when the timer goes off.
    var unstored: [(DeliveryEvent, [UUIDBytes: AcceptedAnswer])] = []
    /// When the news of an enqueue that was sent last arrives.
    var lastNews: Int64 = 0

    /// Chances of the writers alone, so that a history without them stays as it is.
    var chances: SeededGenerator
    /// All writes that were acknowledged, in their order, and how they ended.
    var writes: [UUIDBytes: SimulatedWrite] = [:]
    var order: [UUIDBytes] = []
    var ends: [UUIDBytes: End] = [:]
    var tries: [UUIDBytes: Int] = [:]
    /// The change up to which a reader saw each row, by an accepted write of its own.
    var seen: [RowKey: Int64] = [:]
    /// The floors at the last look.
    var timelines: [ResourceKey: Int64] = [:]
    /// Until when the server has asked to be left alone, as far as a client heard.
    var askedUntil: Int64?
    var nextWrite = 1
    var nextKey: UInt64 = 1

    init(_ scenario: Scenario) { chances = SeededGenerator(seed: scenario.seed ^ 0x6465_7369_7265) }

    mutating func die() {
        machine = nil
        // What could not be stored is forgotten with the process.
        askedUntil = nil
        epoch += 1
        version = nil
        unstored = []
        lastNews = 0
    }

    mutating func freshKey() -> UUIDBytes {
        nextKey += 1
        return UUIDBytes(high: 3, low: nextKey)
    }
}
