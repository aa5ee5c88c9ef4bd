internal import LarderEngine
internal import LarderFormat
internal import Logging
internal import Synchronization

/// Removes garbage behind the callers' backs, in short commits that let other writes go first.
final class Reclaimer: Sendable {
    private struct State {
        var waiting: [Garbage] = []
        var isRunning = false
    }

    private let environment: Environment
    private let tables: Tables
    private let host: HostServices
    private let meter: WriterMeter
    private let state = Mutex(State())

    init(environment: Environment, tables: Tables, host: HostServices, meter: WriterMeter) {
        self.environment = environment
        self.tables = tables
        self.host = host
        self.meter = meter
    }

    /// Has garbage removed.
    func add(_ garbage: [Garbage]) {
        if garbage.isEmpty { return }
        let isIdle = state.withLock { state in
            state.waiting += garbage
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isIdle { schedule() }
    }

    /// A question to ask every few rows: is this batch's time up?
    func deadline() -> () -> Bool { BulkLimits.deadline(environment, host) }

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
        guard let garbage = state.withLock({ $0.waiting.first }) else { return }
        var isMore = false
        do {
            (isMore, _) = try meter.measure(isBulk: true) {
                try environment.transact(durability: .relaxed) { (engine: inout WriteTransaction) in
                    try Transaction.run(&engine, tables) { transaction in
                        try transaction.reclaimSome(of: garbage, isTimeUp: deadline())
                    }
                }
            }
        } catch {
            host.logger.warning("could not reclaim garbage", metadata: ["error": "\(error)"])
        }
        let isDone = state.withLock { state in
            if !isMore { state.waiting.removeFirst() }
            state.isRunning = !state.waiting.isEmpty
            return state.waiting.isEmpty
        }
        if !isDone { schedule() }
    }
}
