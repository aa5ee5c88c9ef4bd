// Simulator+Liveness: checks that runs start, stop and go idle when they should.

internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

extension Simulator {
    /// Looks, after every step, whether everything that is to happen will.
    func checkStep() throws {
        if writers.isDeathDue {
            log("  dies before it does what it has stored")
            return try kill(relaunchAfter: Int64(writers.random.below(3_000)))
        }
        guard let process else { return }
        if process.hasEnded {
            guard process.isStopping else { throw Violation(.stopping, "the coordinator ends, and nobody asked it to") }
            if !executor.isIdle || process.store.hasWrites { return }
            return try shutDown()
        }
        guard executor.isIdle else { return }
        try recordRunning()
        guard process.coordinator.isLive else { throw Violation(.liveness, "by the coordinator's own word") }
        if !process.store.hasWrites {
            if process.isStopping { watch.stopHandled() }
            watch.becameIdle()
            // After a failed commit answers may be kept in memory, and be stored one by one.
            let isStored = !process.isStopping && !disk.hasFailed
            updateWaits { if isStored { $0.markStored() } else { $0.discard() } }
            try checkIdleWriters(process)
        }
        // Nothing happens for a while: whatever does not wait for the time waits for ever.
        if !process.store.hasWrites, agenda.nextTime.map({ $0 > now + 5_000 }) ?? true { try checkIdle(process) }
    }

    /// Looks which runs are under way.
    func recordRunning() throws {
        guard let process else { return }
        try watch.record(running: process.coordinator.running, most: scenario.policy.concurrentRuns)
    }

    /// What holds no filter back when all is there.
    private static let missing: [FilterStatus.Activity] = [
        .waiting(for: .turn), .waiting(for: .coordinator), .waiting(for: .network),
    ]

    private func checkIdle(_ process: SimulatedProcess) throws {
        if process.isStopping { throw Violation(.stopping, "a stop that does not end") }
        isHeldBack = !canRun
        if process.hasCalls, !canRun {
            throw Violation(.conditions, "a requested run without a network is not reported as such")
        }
        let filters = process.coordinator.status.filters
        let running = filters.count { $0.isRunning }
        if running > 0, !agenda.isAwaited(by: .sync) {
            throw Violation(.lostEffect, "\(running) runs wait for nothing")
        }
        guard canRun, link.level == .online, power == .normal, running < scenario.policy.concurrentRuns else { return }
        for filter in filters where !filter.isRunning {
            let text = filter.filter
            let isBehindPortal = filter.activity == .waiting(for: .network) && watch.knowsPortal
            if !isBehindPortal, Self.missing.contains(filter.activity) {
                throw Violation(.liveness, "\(text) is held back by what is not there: \(filter.activity)")
            }
            if !isBehindPortal, watch.requestedFilters.contains(text), watch.isFree.contains(text) {
                throw Violation(.liveness, "\(text) was asked for, and nothing holds it back")
            }
            guard filter.activity != .idle || scenario.policy.refreshInterval != nil else { continue }
            // Whatever is waited for, a day and a half is longer.
            guard agenda.isAwaited(by: .sync, until: now + 36 * 3_600_000) || agenda.count(of: .probe) > 0 else {
                throw Violation(.liveness, "nothing will ever run \(text)")
            }
        }
    }

    /// Whether anything at all may be run, as far as the host can see.
    var canRun: Bool { link.level != .offline && !isForcedOffline }

    /// What goes out: tokens with their own filter to the page endpoint only, cursors with their page size.
    func checkRequest(_ target: String, _ request: ModelRequest?) throws {
        if watch.isStopping, process?.hasCalls == false {
            throw Violation(.stopping, "\(target) is asked for after the stop")
        }
        guard let request else { throw Violation(.requests, "a request that no server reads: \(target)") }
        let hasToken = target.contains("sync_token=")
        let hasCursor = target.contains("cursor=")
        guard let scope = request.filter else {
            if hasToken || hasCursor { throw Violation(.requests, "a snapshot is requested with a token: \(target)") }
            return
        }
        if !wanted.contains(where: { $0.filter.description == scope.text }) && agenda.count(of: .removal) == 0 {
            throw Violation(.requests, "\(scope.text) is asked for, and nobody wants it")
        }
        if hasCursor {
            // A cursor carries its page size; an answer that came by mistake may have another.
            if target != answered.pages[scope.text]?.next {
                throw Violation(.requests, "\(scope.text) sends a cursor of its own: \(target)")
            }
        } else if request.perPage != perPage {
            throw Violation(.requests, "\(scope.text) asks for \(request.perPage) per page, not \(perPage)")
        }
        if case .changes(let token) = request.kind, let token, token.filterHash != scope.hash {
            throw Violation(.requests, "\(scope.text) sends the token of another filter")
        }
    }
}

extension FilterStatus {
    fileprivate var isRunning: Bool { if case .running = activity { true } else { false } }
}
