// Simulator+Kill: kills, shuts down and relaunches the process.

internal import Foundation
internal import LarderOutbox
internal import LarderStore
internal import LarderSync
internal import LarderTesting

extension Simulator {
    /// Kills the process. What was not committed is gone: the next one finds the store's file as it is at this time.
    ///
    /// What runs in the process is cancelled, and comes to its end on a file that nobody looks at any more.
    func kill(relaunchAfter wait: Int64) throws {
        guard process != nil else { return }
        let old = path
        generation += 1
        try working {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: old + "/data.mdb", toPath: path + "/data.mdb")
        }
        try releaseKilledProcess()
        try? FileManager.default.removeItem(atPath: old)
        relaunch(after: wait)
    }

    /// Ends a process that has stopped as it was asked to.
    func shutDown() throws {
        try releaseKilledProcess()
        relaunch(after: Int64(delays.below(3_000)))
    }

    private func relaunch(after wait: Int64) {
        agenda.add(at: now + wait, .launch, "launch") { [unowned self] in try launch() }
    }

    /// Cancels what runs in the process, has it come to its end, and closes the store.
    func releaseKilledProcess() throws {
        guard let process = process.take() else { return }
        process.life.isOver = true
        endPauses(throwing: CancellationError()) { _ in true }
        agenda.remove { $0 != .launch && $0 != .arrival }
        isCommitPlanned = false
        writers.forgetProcess()
        updateWaits { $0.discard() }
        answered.reset()
        checker.reset()
        process.cancel()
        var left = Self.stepLimit
        repeat { while left > 0, executor.runNext() { left -= 1 } } while left > 0 && process.store.runNextWrite()
        guard process.hasEnded, !process.hasCalls else {
            throw Violation(.stopping, "what a process ran does not end when it is cancelled")
        }
        try working { try process.store.close() }
        while executor.runNext() {}
        killedProcess = KilledProcess(
            store: process.store, coordinator: process.coordinator, outbox: process.outbox, session: process.session)
    }

    /// What is to be gone some time after a process has ended.
    struct KilledProcess {
        weak var store: Store?
        weak var coordinator: SyncCoordinator?
        weak var outbox: Outbox?
        weak var session: Session?
    }

    /// Nothing holds on to a process that has ended.
    func checkKilledProcess() throws {
        if killedProcess?.store != nil || killedProcess?.coordinator != nil || killedProcess?.outbox != nil
            || killedProcess?.session != nil
        {
            throw Violation(.lostEffect, "a task of a process that has ended waits for ever")
        }
        killedProcess = nil
    }
}
