// Acknowledgement: one line that a child writes about what it is about to do, or has done for good.

public import LarderFormat

/// One line that a child writes about what it is about to do, or has done for good.
public enum Acknowledgement: Equatable, Sendable {
    /// What a child can be inside of.
    public enum Phase: String, CaseIterable, Sendable {
        /// A snapshot is being swapped in.
        case swap
        /// A snapshot is being written.
        case staging
        /// Garbage is being removed on demand.
        case reclaim
        /// An entry is being enqueued or acknowledged.
        case outbox
        /// A run is under way.
        case run
        /// None of these.
        case idle
    }

    /// The store is open.
    case ready
    /// The next command of the world is played; its number.
    case world(Int)
    /// A phase begins.
    case begin(Phase)
    /// A phase ends.
    case end(Phase)
    /// An entry is about to be enqueued; its number.
    case enqueueing(Int)
    /// It is enqueued, under this sequence.
    case enqueued(Int, sequence: Int64)
    /// An entry is about to leave the outbox.
    case completing(Int)
    /// It has left.
    case completed(Int)
    /// A token is about to be discarded, by the number of the filter.
    case rejected(filter: Int)
    /// A run has ended and its token is stored.
    case stored(filter: Int, until: Int64)
    /// A snapshot was swapped in, and what the store then reports.
    case swapped(ResourceKey, generation: Int64, appliedSequence: Int64)
    /// Rows of a snapshot are about to be sent.
    case fetching(ResourceKey, rows: Int)
    /// A step of a script begins.
    case step(Int)
    /// The script is through.
    case done

    /// The line, without its end.
    public var line: String {
        switch self {
        case .ready: "ready"
        case .world(let number): "world \(number)"
        case .begin(let phase): "begin \(phase.rawValue)"
        case .end(let phase): "end \(phase.rawValue)"
        case .enqueueing(let entry): "enqueueing \(entry)"
        case .enqueued(let entry, let sequence): "enqueued \(entry) \(sequence)"
        case .completing(let entry): "completing \(entry)"
        case .completed(let entry): "completed \(entry)"
        case .rejected(let filter): "rejected \(filter)"
        case .stored(let filter, let until): "stored \(filter) \(until)"
        case .swapped(let resource, let generation, let appliedSequence):
            "swapped \(resource.group) \(resource.id) \(generation) \(appliedSequence)"
        case .fetching(let resource, let rows): "fetching \(resource.group) \(resource.id) \(rows)"
        case .step(let number): "step \(number)"
        case .done: "done"
        }
    }

    /// Reads a line; nil for anything that ``line`` does not give.
    public init?(_ line: String) {
        let words = line.split(separator: " ").map { String($0) }
        guard let name = words.first else { return nil }
        let numbers = words.dropFirst().compactMap { Int64($0) }
        switch (name, numbers.count) {
        case ("ready", 0): self = .ready
        case ("done", 0): self = .done
        case ("begin", 0), ("end", 0):
            guard words.count == 2, let phase = Phase(rawValue: words[1]) else { return nil }
            self = name == "begin" ? .begin(phase) : .end(phase)
        case ("world", 1): self = .world(Int(numbers[0]))
        case ("step", 1): self = .step(Int(numbers[0]))
        case ("enqueueing", 1): self = .enqueueing(Int(numbers[0]))
        case ("enqueued", 2): self = .enqueued(Int(numbers[0]), sequence: numbers[1])
        case ("completing", 1): self = .completing(Int(numbers[0]))
        case ("completed", 1): self = .completed(Int(numbers[0]))
        case ("rejected", 1): self = .rejected(filter: Int(numbers[0]))
        case ("stored", 2): self = .stored(filter: Int(numbers[0]), until: numbers[1])
        case ("swapped", 3):
            self = .swapped(ResourceKey(words[1], numbers[0]), generation: numbers[1], appliedSequence: numbers[2])
        case ("fetching", 2): self = .fetching(ResourceKey(words[1], numbers[0]), rows: Int(numbers[1]))
        default: return nil
        }
    }
}
