internal import LarderEngine
internal import LarderFormat
internal import Logging
internal import Synchronization

/// Removes garbage behind the callers' backs, in short commits that let other writes go first.
final class Reclaimer: Sendable {
    private struct State {
        var generations: [Int64] = []
        var blobs: [Int64] = []
        /// Blobs whose writers gave up.
        var discarded: [Int64] = []
        /// Secondary indexes that were given up.
        var indexes: [Int64] = []
        var isRunning = false

        var isDone: Bool { generations.isEmpty && blobs.isEmpty && discarded.isEmpty && indexes.isEmpty }
    }

    private let environment: Environment
    private let tables: Tables
    private let room: Room
    private let host: HostServices
    private let meter: WriterMeter
    private let leases: BlobLeases
    private let state = Mutex(State())

    init(
        environment: Environment, tables: Tables, room: Room, host: HostServices, meter: WriterMeter, leases: BlobLeases
    ) {
        self.environment = environment
        self.tables = tables
        self.room = room
        self.host = host
        self.meter = meter
        self.leases = leases
    }

    /// Has removed what garbage generations hold, the chunks of garbage blobs that nobody holds, and the entries of indexes
    /// that were given up.
    func add(_ generations: [Int64], blobs: [Int64] = [], indexes: [Int64] = []) {
        if generations.isEmpty && blobs.isEmpty && indexes.isEmpty { return }
        wake { state in
            state.generations += generations
            state.blobs += blobs
            state.indexes += indexes
        }
    }

    /// What waits to be removed.
    var waiting: Room.Garbage {
        state.withLock { state in
            Room.Garbage(
                generations: state.generations, blobs: state.blobs, discarded: state.discarded,
                indexes: state.indexes)
        }
    }

    /// Makes a blob garbage if it is still being written, and has it removed.
    func discard(_ blob: Int64) {
        wake { $0.discarded.append(blob) }
    }

    /// A question to ask every few rows: is this batch's time up?
    func deadline() -> () -> Bool { BulkLimits.deadline(environment, host) }

    private func wake(_ add: (inout State) -> Void) {
        let isIdle = state.withLock { state in
            add(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isIdle { schedule() }
    }

    private func schedule() {
        do throws(EngineError) {
            try environment.onWriter(isBulk: true) { self.step() }
        } catch {
            // The store is closing; the next open goes on.
            state.withLock { $0 = State() }
            host.logger.debug("garbage is left to the next open", metadata: ["error": "\(error)"])
        }
    }

    /// One batch; on the writer thread.
    private func step() {
        let now = state.withLock { $0 }
        if !now.discarded.isEmpty {
            discardSome(now.discarded)
        } else if !now.blobs.isEmpty {
            reclaimSome(now.blobs)
        } else if let generation = now.generations.first {
            reclaimSome(of: generation)
        } else if let index = now.indexes.first {
            reclaimSome(ofIndex: index)
        }
        let isDone = state.withLock { state in
            state.isRunning = !state.isDone
            return state.isDone
        }
        if !isDone { schedule() }
    }

    private func reclaimSome(of generation: Int64) {
        let isMore = commit { transaction in
            try transaction.reclaimSome(of: generation, isTimeUp: deadline())
        }
        if isMore != true { state.withLock { _ = $0.generations.removeFirst() } }
    }

    private func reclaimSome(ofIndex index: Int64) {
        let isMore = commit { transaction in
            try transaction.reclaimSome(ofIndex: index, isTimeUp: deadline())
        }
        if isMore != true { state.withLock { _ = $0.indexes.removeFirst() } }
    }

    /// Makes what is still staging garbage; what was committed meanwhile stays.
    private func discardSome(_ blobs: [Int64]) {
        let garbage = commit { transaction in
            try blobs.filter { blob in
                try transaction.discardStagedBlob(blob)
                return try transaction.isGarbage(blob)
            }
        }
        state.withLock { state in
            state.discarded.removeFirst(blobs.count)
            state.blobs += garbage ?? []
        }
    }

    /// Removes as many blobs as one batch may, at least a part of one.
    private func reclaimSome(_ blobs: [Int64]) {
        var condemned: [Int64] = []
        let ended = commit { transaction -> Int in
            let isTimeUp = deadline()
            var bytes: Int64 = 0
            for (position, blob) in blobs.enumerated() {
                if bytes >= BulkLimits.bytes || isTimeUp() { return position }
                // A claim made by an earlier run of this closure still holds.
                if !condemned.contains(blob) {
                    guard leases.condemn(blob) else { continue }
                    condemned.append(blob)
                }
                let limit = Int64(BulkLimits.bytes) - bytes
                let (isMore, removed) = try transaction.reclaimBlob(blob, limit: limit, isTimeUp: isTimeUp)
                if isMore { return position }
                bytes += removed
            }
            return blobs.count
        }
        for blob in condemned { leases.absolve(blob) }
        // What could not be removed is left to the next open.
        state.withLock { $0.blobs.removeFirst(ended ?? blobs.count) }
    }

    /// Runs `body` in a commit of its own; nil when it failed.
    private func commit<Result>(_ body: (inout Transaction) throws -> Result) -> Result? {
        do {
            return try meter.measure(isBulk: true) {
                try environment.transact(durability: .relaxed) { (engine: inout WriteTransaction) in
                    try Transaction.run(&engine, tables, room, body).0
                }
            }
        } catch {
            host.logger.warning("could not reclaim garbage", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
