// AcknowledgedState: what the children of one store have acknowledged.

import CrashWorld
import LarderFormat

/// What the children of one store have been promised.
struct AcknowledgedState {
    /// The last state of an entry that its child reported.
    enum EntryState {
        case enqueueing
        case enqueued(sequence: Int64)
        case completing(sequence: Int64?)
        case completed(sequence: Int64?)

        var sequence: Int64? {
            switch self {
            case .enqueueing: nil
            case .enqueued(let sequence): sequence
            case .completing(let sequence), .completed(let sequence): sequence
            }
        }
    }

    /// Commands of the world that have been played at least.
    private(set) var commands = 0
    private(set) var entries: [Int: EntryState] = [:]
    private(set) var lastSequence: Int64 = 0
    private(set) var swaps = 0
    /// Per resource, the applied sequence and generation that were seen last.
    private(set) var appliedSequences: [ResourceKey: Int64] = [:]
    private(set) var generations: [ResourceKey: Int64] = [:]
    /// Per filter, the bound that was stored last with a token, and whether that token was rejected since.
    private(set) var bounds: [Int: Int64] = [:]
    private(set) var rejected: Set<Int> = []
    /// What was under way.
    private(set) var phases: [Acknowledgement.Phase: Int] = [:]
    /// Whether sequences came in the order of their entries.
    private(set) var isAscending = true

    /// The number for the next entry.
    var nextEntry: Int { (entries.keys.max() ?? 0) + 1 }

    /// The most specific of the phases under way.
    var phase: Acknowledgement.Phase {
        Acknowledgement.Phase.allCases.first { phases[$0, default: 0] > 0 } ?? .idle
    }

    mutating func record(_ acknowledgement: Acknowledgement) {
        switch acknowledgement {
        case .ready: phases = [:]
        case .world(let number): commands = max(commands, number + 1)
        case .begin(let phase): phases[phase, default: 0] += 1
        case .end(let phase): phases[phase, default: 0] -= 1
        case .enqueueing(let entry): entries[entry] = .enqueueing
        case .enqueued(let entry, let sequence):
            entries[entry] = .enqueued(sequence: sequence)
            if sequence <= lastSequence { isAscending = false }
            lastSequence = sequence
        case .completing(let entry): entries[entry] = .completing(sequence: entries[entry]?.sequence)
        case .completed(let entry): entries[entry] = .completed(sequence: entries[entry]?.sequence)
        case .rejected(let filter): rejected.insert(filter)
        case .stored(let filter, let until):
            bounds[filter] = max(bounds[filter] ?? 0, until)
            rejected.remove(filter)
        case .swapped(let resource, let generation, let appliedSequence):
            swaps += 1
            recordSeen(resource, generation: generation, appliedSequence: appliedSequence)
        case .fetching, .step, .done: break
        }
    }

    /// Notes what a reader has seen: nothing may be older from here on.
    mutating func recordSeen(_ resource: ResourceKey, generation: Int64?, appliedSequence: Int64) {
        appliedSequences[resource] = max(appliedSequences[resource] ?? 0, appliedSequence)
        if let generation { generations[resource] = max(generations[resource] ?? 0, generation) }
    }
}
